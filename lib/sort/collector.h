/* Gathers rows of many blocks, in the order they are added, into batches of about a wanted size.
 * Rows are noted and copied column by column when some hundreds are there; a batch that is a
 * range of one block is written from where it is, without a copy.
 *
 * Where batches end and which columns hold one element for all depends on the rows alone, so that
 * equal rows give equal bytes whatever the blocks were. */
#ifndef TM_SORT_COLLECTOR_H
#define TM_SORT_COLLECTOR_H

#include "sort/block.h"
#include "sort/collector_lane.h"

/* Where full batches go; the batch is valid during the call. */
struct tm_collector_sink {
    enum tm_status (*write)(void *to, const struct tm_batch *batch, struct tm_error *err);
    void *to;
};

enum { TM_COLLECTOR_LAYOUTS = 8 };

/* Rows that follow each other in a block that has columns. */
struct tm_collector_range {
    const struct tm_block *block;
    uint32_t row, count;
    uint32_t place; /* as in a lane */
};

/* Payload of rows that follow each other. */
struct tm_collector_piece {
    const uint8_t *data; /* NULL: it is in a file, */
    const struct tm_block *block; /* that of the block */
    size_t at;           /* and where in the block's payload */
    size_t len;
};

struct tm_collector_column {
    uint8_t *data;
    bool is_constant; /* so far: data holds one element */
};

struct tm_collector {
    struct tm_collector_sink sink;
    size_t limit_bytes; /* a batch is full from here on */
    uint32_t count;     /* rows of the batch being made */
    /* private */
    size_t payload_bytes;
    size_t bytes; /* as limit_bytes counts them */
    struct tm_collector_lane *lanes; /* TM_COLLECTOR_LAYOUTS of them */
    uint32_t lane_count;
    struct tm_collector_range *ranges;
    uint32_t range_count;
    struct tm_collector_piece *pieces;
    uint32_t piece_count;
    struct tm_block **blocks; /* of the ranges */
    uint32_t block_count;
    uint32_t settled; /* rows that are in the columns already */
    struct tm_collector_column columns[TM_COL_COUNT];
    struct tm_buf payload;
    uint64_t epoch;
};

/* A batch is full at LIMIT_BYTES (at most TM_BATCH_BYTES) as tm_batch_builder_full counts them. SINK is kept. TM_OK or
 * TM_E_SYSTEM; release is needed in both cases. */
enum tm_status tm_collector_init(struct tm_collector *gather, struct tm_collector_sink sink, size_t limit_bytes,
                                 struct tm_error *err);

/* Adds the COUNT rows of BLOCK from ROW on, whose payload starts at *AT in the block's payload;
 * moves *AT behind them. The block must stay as it is until settle or flush, and must not have been
 * in another gather before. */
enum tm_status tm_collector_add(struct tm_collector *gather, struct tm_block *block, uint32_t row, uint32_t count,
                                size_t *at, struct tm_error *err);

/* Copies what is noted, so that the blocks may go. */
enum tm_status tm_collector_settle(struct tm_collector *gather, struct tm_error *err);

/* Writes what there is as a batch; settles too. */
enum tm_status tm_collector_flush(struct tm_collector *gather, struct tm_error *err);

/* A row that is a record. */
struct tm_collector_record {
    const struct tm_block_layout *layout;
    const uint8_t *record;
    const uint8_t *payload;
    size_t payload_bytes;
};

/* What tm_collector_add_record does where it is not quick. */
enum tm_status tm_collector_add_record_slowly(struct tm_collector *gather, const struct tm_collector_record *row,
                                              struct tm_error *err);

/* Adds one row of a block of records; the same rules as for tm_collector_add. */
static inline enum tm_status tm_collector_add_record(struct tm_collector *gather, const struct tm_collector_record *row,
                                                     struct tm_error *err)
{
    struct tm_collector_lane *lane = gather->lanes, *end = lane + gather->lane_count;
    size_t bytes = gather->bytes + TM_BATCH_ROW_BYTES + row->payload_bytes;
    while (lane < end && lane->layout != row->layout)
        lane++;
    if (lane == end || lane->count >= TM_COLLECTOR_TILE || bytes >= gather->limit_bytes)
        return tm_collector_add_record_slowly(gather, row, err);
    lane->records[lane->count] = row->record;
    lane->places[lane->count++] = gather->count++ - gather->settled;
    struct tm_collector_piece *piece = &gather->pieces[gather->piece_count++];
    piece->data = row->payload;
    piece->block = NULL;
    piece->len = row->payload_bytes;
    gather->payload_bytes += row->payload_bytes;
    gather->bytes = bytes;
    return TM_OK;
}

void tm_collector_release(struct tm_collector *gather);

#endif
