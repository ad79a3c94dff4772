/* Private to merges: the position at which a run is read. */
#ifndef TM_SORT_MERGE_CURSOR_H
#define TM_SORT_MERGE_CURSOR_H

#include "sort/block.h"

enum { TM_MERGE_LOOK_AHEAD = 6 /* rows of a run that are read at once; a cursor takes two cache lines */ };

#define TM_MERGE_RANK_VARIES UINT64_MAX

/* The position at which a run is read. The cursor copies what the merge needs of the next rows. Rows of hundreds of
 * runs lie in hundreds of pages, which no processor keeps in its cache. */
struct tm_merge_cursor {
    uint64_t times[TM_MERGE_LOOK_AHEAD];    /* of rows row - look_ahead and up; see tm_block_time */
    uint32_t payloads[TM_MERGE_LOOK_AHEAD]; /* their payload bytes */
    uint8_t look_ahead, look_ahead_count;   /* index of row in these arrays, and how many are filled */
    bool is_transient;                      /* that of the run's tm_run_source */
    uint32_t row;
    struct tm_block *block;               /* NULL: the run has ended */
    const struct tm_block_layout *layout; /* the block's layout */
    const uint8_t *record;                /* the row's record where there is a layout */
    const uint8_t *payload;               /* the row's payload where there is a layout */
    size_t at;                            /* offset of the row's payload where there is no layout */
    uint64_t rank; /* rank of all rows of the block (see tm_sort_key); TM_MERGE_RANK_VARIES if they may differ */
};

/* Reads the next rows of the cursor's block, from its row on. */
void tm_merge_cursor_look_ahead(struct tm_merge_cursor *cursor);

/* Moves to ROW of the same block, whose payload starts at AT. tm_merge_cursor_look_ahead must be called before the
 * cursor is compared again. */
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
