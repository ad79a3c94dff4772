/* A block: rows that are in order, all of them definitions or none. Runs are lists of blocks.
 *
 * A block is a view of a batch, or records: rows that had to be brought in order are kept row by
 * row, as a merge will take them one here, one there. */
#ifndef TM_SORT_BLOCK_H
#define TM_SORT_BLOCK_H

#include "sort/block_layout.h"
#include "sort/sort_key.h"

struct tm_block {
    const struct tm_block_layout *layout; /* of the records; NULL: the rows are those of batch */
    const uint8_t *records;
    const uint8_t *payload;  /* NULL when it stayed in a file */
    uint64_t mark;           /* private to struct tm_collector */
    uint32_t first, end;     /* rows [first, end) are the block */
    size_t first_at;         /* where the payload of row first starts in payload */
    size_t end_at;           /* where that of the last row ends */
    bool definitions;        /* all rows are */
    bool of_one_file;        /* all rows are known to be of one file */
    int payload_fd;          /* where payload is NULL: the file, */
    uint64_t payload_offset; /* and where in it */
    uint64_t sequence;       /* of two blocks with equal keys the one with the lower number is first */
    struct tm_block *next;   /* of the same run, or NULL */
    struct tm_batch batch;   /* its payload is not looked at */
};

/* A block of the rows of BATCH, which must stay. */
static inline struct tm_block tm_block_of(const struct tm_batch *batch)
{
    return (struct tm_block){.payload = batch->payload, .end = batch->count, .end_at = batch->payload_bytes,
                             .of_one_file = tm_batch_is_constant(batch, TM_COL_FILE), .batch = *batch};
}

static inline uint64_t tm_block_value(const struct tm_block *block, enum tm_column column, uint32_t row)
{
    if (block->layout)
        return tm_block_layout_value(block->layout, block->records + (size_t)row * block->layout->stride, column);
    const struct tm_batch_col *col = &block->batch.cols[column];
    const uint8_t *element = col->data + tm_column_width(column) * (row & col->mask);
    return tm_column_width(column) == 4 ? tm_get_le32(element) : tm_get_le64(element);
}

/* Bytes that ROW takes in the payload. */
static inline size_t tm_block_payload_of(const struct tm_block *block, uint32_t row)
{
    return (size_t)(tm_block_value(block, TM_COL_RAW_BYTES, row) + tm_block_value(block, TM_COL_DETAIL_BYTES, row));
}

static inline uint64_t tm_block_time(const struct tm_block *block, uint32_t row)
{
    return block->definitions ? 0 : tm_sort_time_of(tm_block_value(block, TM_COL_TIME_NS, row));
}

static inline struct tm_sort_key tm_block_key(const struct tm_block *block, uint32_t row,
                                              const struct tm_file_order *orders)
{
    uint64_t order = tm_file_order_of(orders, (uint32_t)tm_block_value(block, TM_COL_FILE, row));
    return (struct tm_sort_key){tm_block_time(block, row), tm_sort_rank(block->definitions, order),
                                tm_block_value(block, TM_COL_POSITION, row)};
}

/* The order in which rows are copied: rows[i] is the i-th; offsets: where the payload of each row
 * starts, and where the last one ends. */
struct tm_block_order {
    const uint32_t *rows;
    const size_t *offsets;
    uint64_t *words; /* to work with: as many a row as the layout has */
};

/* Behind the payload of a block of records so many bytes more may be read (and mean nothing): short payloads are then
 * copied without looking at their length, and the last record's last word may end there. */
enum { TM_BLOCK_SLACK = 32 };

/* Bytes that a block with a copy of BATCH takes, as records of LAYOUT or, where that is NULL, as
 * columns. */
size_t tm_block_copy_bytes(const struct tm_batch *batch, const struct tm_block_layout *layout);

/* Makes a block with a copy of BATCH in MEM (tm_block_copy_bytes of them, aligned for any object):
 * as columns, */
struct tm_block *tm_block_copy(void *mem, const struct tm_batch *batch);

/* or as records of LAYOUT, which can hold it, in another order. */
struct tm_block *tm_block_pack(void *mem, const struct tm_batch *batch, const struct tm_block_layout *layout,
                               const struct tm_block_order *order);

/* OFFSETS[i] = where the payload of row i starts, for all rows and one more. */
void tm_block_offsets(const struct tm_batch *batch, size_t *offsets);

#endif
