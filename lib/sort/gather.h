/* Gathers rows of many blocks, in the order they are added, into batches of about a wanted size.
 * Rows are noted as ranges and copied column by column when a batch is full; a batch that is a
 * range of one block is written from where it is, without a copy.
 *
 * Where batches end and which columns hold one element for all depends on the rows alone, so that
 * equal rows give equal bytes whatever the blocks were. */
#ifndef TM_SORT_GATHER_H
#define TM_SORT_GATHER_H

#include "sort/block.h"

/* Where full batches go; the batch is valid during the call. */
struct tm_gather_sink {
    enum tm_status (*write)(void *to, const struct tm_batch *batch, struct tm_error *err);
    void *to;
};

enum {
    TM_GATHER_LAYOUTS = 8,
    TM_GATHER_TILE = 256 /* ranges that are copied while their rows are in the cache */
};

/* What tm_batch_builder_full counts for a row's columns. */
enum { TM_GATHER_ROW_BYTES = 104 };

/* Rows that follow each other in a block. */
struct tm_gather_range {
    const struct tm_block_layout *layout; /* of the block; NULL: it has columns */
    const uint8_t *record;                /* of the first row, where there is a layout */
    const struct tm_block *block;
    size_t at;             /* of the first row's payload in the block's */
    size_t payload_bytes;  /* of all */
    uint32_t row, count;
};

struct tm_gather_column {
    uint8_t *data;
    bool is_constant; /* so far: data holds one element */
};

struct tm_gather {
    struct tm_gather_sink sink;
    size_t limit_bytes; /* a batch is full from here on */
    uint32_t count;     /* rows of the batch being made */
    /* private */
    size_t payload_bytes;
    size_t bytes; /* as limit_bytes counts them */
    struct tm_gather_range *ranges;
    uint32_t range_count;
    const struct tm_block_layout *layouts[TM_GATHER_LAYOUTS]; /* of the ranges that are records */
    uint32_t layout_count;
    struct tm_block **blocks; /* of the ranges that are columns */
    uint32_t block_count;
    uint32_t settled; /* rows that are in the columns already */
    struct tm_gather_column columns[TM_COL_COUNT];
    struct tm_buf payload;
    uint64_t epoch;
};

/* A batch is full at LIMIT_BYTES (at most TM_BATCH_BYTES) as tm_batch_builder_full counts them. SINK is kept. TM_OK or
 * TM_E_SYSTEM; release is needed in both cases. */
enum tm_status tm_gather_init(struct tm_gather *gather, struct tm_gather_sink sink, size_t limit_bytes,
                              struct tm_error *err);

/* Adds the COUNT rows of BLOCK from ROW on, whose payload starts at *AT in the batch's payload;
 * moves *AT behind them. The block must stay as it is until settle or flush, and must not have been
 * in another gather before. */
enum tm_status tm_gather_add(struct tm_gather *gather, struct tm_block *block, uint32_t row, uint32_t count,
                             size_t *at, struct tm_error *err);

/* The same for one range of BLOCK whose payload_bytes are known, and that does not go beyond what
 * the batch has room for: one row at any time. */
enum tm_status tm_gather_add_range(struct tm_gather *gather, struct tm_block *block,
                                   const struct tm_gather_range *range, struct tm_error *err);

/* Copies what is noted, so that the blocks may go. */
enum tm_status tm_gather_settle(struct tm_gather *gather, struct tm_error *err);

/* Writes what there is as a batch; settles too. */
enum tm_status tm_gather_flush(struct tm_gather *gather, struct tm_error *err);

/* tm_gather_add_range for a range of one row, quick where it is one more record of a layout. */
static inline enum tm_status tm_gather_add_row(struct tm_gather *gather, struct tm_block *block,
                                               const struct tm_gather_range *row, struct tm_error *err)
{
    size_t bytes = gather->bytes + TM_GATHER_ROW_BYTES + row->payload_bytes;
    if (row->layout == NULL || gather->layout_count != 1 || gather->layouts[0] != row->layout ||
        gather->range_count >= TM_GATHER_TILE || bytes >= gather->limit_bytes)
        return tm_gather_add_range(gather, block, row, err);
    gather->ranges[gather->range_count++] = *row;
    gather->count++;
    gather->payload_bytes += row->payload_bytes;
    gather->bytes = bytes;
    return TM_OK;
}

void tm_gather_release(struct tm_gather *gather);

#endif
