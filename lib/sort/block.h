/* A block: a batch, or the part of one, whose rows are in order. Runs are lists of blocks. */
#ifndef TM_SORT_BLOCK_H
#define TM_SORT_BLOCK_H

#include "sort/sort_key.h"

struct tm_block {
    struct tm_batch batch;   /* columns in memory; payload NULL when it stayed in a file */
    uint32_t first, end;     /* rows [first, end) of the batch are the block */
    size_t first_at;         /* where the payload of row first starts in the batch's payload */
    uint64_t sequence;       /* of two blocks with equal keys the one with the lower number is first */
    int payload_fd;          /* where batch.payload is NULL: the file, */
    uint64_t payload_offset; /* and where in it */
    uint64_t mark;           /* private to struct tm_gather */
    struct tm_block *next;   /* of the same run, or NULL */
};

static inline struct tm_sort_key tm_block_key(const struct tm_block *block, uint32_t row,
                                              const struct tm_file_order *orders)
{
    return tm_sort_key_of(&block->batch, row, orders);
}

/* Bytes that a copy of BATCH takes with its block. */
size_t tm_block_copy_bytes(const struct tm_batch *batch);

/* Makes a block with a copy of BATCH in MEM (tm_block_copy_bytes(BATCH) of them, aligned for any
 * object). ROWS: the order the rows get, NULL for as they stand; OFFSETS: where the payload of each
 * row of BATCH starts (not looked at when ROWS is NULL). */
struct tm_block *tm_block_copy(void *mem, const struct tm_batch *batch, const uint32_t *rows,
                               const size_t *offsets);

/* OFFSETS[i] = where the payload of row i starts, for all rows and one more. */
void tm_block_offsets(const struct tm_batch *batch, size_t *offsets);

#endif
