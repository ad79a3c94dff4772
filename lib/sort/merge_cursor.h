/* Private to merges: where a run is being read. */
#ifndef TM_SORT_MERGE_CURSOR_H
#define TM_SORT_MERGE_CURSOR_H

#include "sort/block.h"

enum { TM_MERGE_AHEAD = 6 /* rows of a run that are looked at together; makes a cursor two cache lines */ };

#define TM_MERGE_RANK_VARIES UINT64_MAX

/* Where a run is being read. What the merge itself needs of the next rows is held here, side by
 * side for all runs: rows of hundreds of runs lie in hundreds of pages, which no processor keeps at
 * hand. */
struct tm_merge_cursor {
    uint64_t times[TM_MERGE_AHEAD];    /* of rows row - ahead, …; see tm_block_time */
    uint32_t payloads[TM_MERGE_AHEAD]; /* their bytes */
    uint16_t ahead, ahead_count;       /* the place of row among them */
    uint32_t row;
    struct tm_block *block;               /* NULL: at its end */
    const struct tm_block_layout *layout; /* the block's */
    const uint8_t *record;                /* the row's, where there is a layout; */
    const uint8_t *payload;               /* likewise its payload */
    size_t at;                            /* of the row's payload, where there is none */
    uint64_t rank; /* see tm_sort_key, of all rows of the block; TM_MERGE_RANK_VARIES where they may differ */
};

/* Looks at the next rows of the cursor's block, from its row on. */
void tm_merge_cursor_look_ahead(struct tm_merge_cursor *cursor);

/* Moves to ROW of the same block, whose payload starts at AT in the block's. Look ahead before the tree is asked again.
 */
static inline void tm_merge_cursor_move(struct tm_merge_cursor *c, uint32_t row, size_t at)
{
    c->row = row;
    c->at = at;
    if (c->block->layout) {
        c->record = c->block->records + (size_t)row * c->block->layout->stride;
        c->payload = c->block->payload + at;
    }
}

#endif
