/* A block holds rows that are in order. Either all of them are definitions or none is. Runs are lists of blocks.
 *
 * A block is a view of a batch, or it holds records. Rows that had to be sorted are kept as records, row by row,
 * because a merge takes them one at a time. */
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
    size_t end_at;           /* where the payload of the last row ends */
    bool definitions;        /* all rows are definitions */
    bool of_one_file;        /* all rows are known to belong to one file */
    int payload_fd;          /* the payload's file where payload is NULL */
    uint64_t payload_offset; /* its offset in payload_fd */
    uint64_t sequence;       /* among blocks with equal keys the lower number comes first */
    struct tm_block *next;   /* the next block of the run, or NULL */
    size_t memory_bytes;     /* of the memory that ends with this block's and begins with a tm_block before it; 0: it
                              * belongs to another block */
    uint64_t spent_after;    /* private to struct tm_spent_blocks */
    struct tm_batch batch;   /* its payload is ignored */
};

/* Returns a block of the rows of BATCH. The batch must outlive the block. */
static inline struct tm_block tm_block_of(const struct tm_batch *batch)
{
    return (struct tm_block){.payload = batch->payload, .end = batch->count, .end_at = batch->payload_bytes,
                             .of_one_file = tm_batch_is_constant(batch, TM_COL_FILE), .batch = *batch};
}

/* Adjacent rows of a block: COUNT from ROW on. */
struct tm_block_rows {
    struct tm_block *block;
    uint32_t row, count;
    size_t at; /* where the payload of ROW starts in the block's payload */
};

/* All rows of BLOCK. */
static inline struct tm_block_rows tm_block_rows_of(struct tm_block *block)
{
    return (struct tm_block_rows){block, block->first, block->end - block->first, block->first_at};
}

static inline uint64_t tm_block_value(const struct tm_block *block, enum tm_column column, uint32_t row)
{
    if (block->layout)
        return tm_block_layout_value(block->layout, block->records + (size_t)row * block->layout->stride, column);
    const struct tm_batch_col *col = &block->batch.cols[column];
    const uint8_t *element = col->data + tm_column_width(column) * (row & col->mask);
    return tm_column_width(column) == 4 ? tm_get_le32(element) : tm_get_le64(element);
}

/* Returns the number of payload bytes of ROW. */
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

/* The order in which rows are copied. rows[i] is the i-th row. offsets has where the payload of each row starts, and
 * where the last one ends. */
struct tm_block_order {
    const uint32_t *rows;
    const size_t *offsets;
    uint64_t *words; /* scratch space: layout->words for each row */
};

/* A block of records has this many readable bytes after its payload; their values do not matter. Short payloads are
 * copied at a fixed size, whatever their length, and the last word of the last record may end there. */
enum { TM_BLOCK_SLACK = 32 };

/* Returns how many bytes a block with a copy of BATCH takes: as records of LAYOUT, or as columns if LAYOUT is NULL. */
size_t tm_block_copy_bytes(const struct tm_batch *batch, const struct tm_block_layout *layout);

/* Makes a block with a copy of BATCH as columns. MEM has tm_block_copy_bytes bytes and is aligned for any object. */
struct tm_block *tm_block_copy(void *mem, const struct tm_batch *batch);

/* Makes a block with a copy of BATCH as records of LAYOUT, in the given ORDER. LAYOUT must be able to hold the batch.
 * MEM has tm_block_copy_bytes bytes and is aligned for any object. */
struct tm_block *tm_block_pack(void *mem, const struct tm_batch *batch, const struct tm_block_layout *layout,
                               const struct tm_block_order *order);

/* Copies BLOCK, which tm_block_pack made in BYTES bytes, to MEM. MEM has as many, and is aligned for any object. */
struct tm_block *tm_block_move(void *mem, const struct tm_block *block, size_t bytes);

/* Sets OFFSETS[i] to the start of the payload of row i. OFFSETS has batch->count + 1 elements; the last is the end. */
void tm_block_offsets(const struct tm_batch *batch, size_t *offsets);

#endif
