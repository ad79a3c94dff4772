#include "sort/collector_notes.h"

#include "base/table.h"

#include <stdlib.h>

enum { FIRST_LANES = 1, FIRST_RANGES = 256 };

/* Makes room for LANES and RANGES, neither less than before, and for the pieces of all rows that they can have. */
static enum tm_status grow(struct tm_collector_notes *n, uint32_t lanes, uint32_t ranges, struct tm_error *err)
{
    const size_t pieces_cap = (size_t)ranges + (size_t)lanes * TM_COLLECTOR_TILE;
    void *lanes_at = lanes > n->lane_cap ? realloc(n->lanes, lanes * sizeof *n->lanes) : n->lanes;
    n->lanes = lanes_at ? lanes_at : n->lanes;
    void *ranges_at = ranges > n->range_cap ? realloc(n->ranges, ranges * sizeof *n->ranges) : n->ranges;
    n->ranges = ranges_at ? ranges_at : n->ranges;
    void *blocks_at = ranges > n->range_cap ? realloc(n->blocks, ranges * sizeof *n->blocks) : n->blocks;
    n->blocks = blocks_at ? blocks_at : n->blocks;
    void *pieces_at = realloc(n->pieces, pieces_cap * sizeof *n->pieces);
    n->pieces = pieces_at ? pieces_at : n->pieces;
    if ((lanes && lanes_at == NULL) || (ranges && (ranges_at == NULL || blocks_at == NULL)) || pieces_at == NULL)
        return tm_error_nomem(err);
    n->lane_cap = lanes;
    n->range_cap = ranges;
    /* The new memory is N's. */
    /* cppcheck-suppress memleak */
    return TM_OK;
}

enum tm_status tm_collector_notes_add_range(struct tm_collector_notes *n, struct tm_error *err)
{
    if (n->range_count < n->range_cap)
        return TM_OK;
    return grow(n, n->lane_cap, n->range_cap ? 2 * n->range_cap : FIRST_RANGES, err);
}

struct tm_collector_lane *tm_collector_notes_add_lane(struct tm_collector_notes *n,
                                                      const struct tm_block_layout *layout, struct tm_error *err)
{
    if (n->lane_count == n->lane_cap &&
        grow(n, n->lane_cap ? TM_COLLECTOR_LAYOUTS : FIRST_LANES, n->range_cap, err) < 0)
        return NULL;
    struct tm_collector_lane *lane = &n->lanes[n->lane_count++];
    lane->layout = layout;
    lane->count = 0;
    return lane;
}

void tm_collector_notes_clear(struct tm_collector_notes *n)
{
    n->count = 0;
    n->payload_bytes = 0;
    n->lane_count = 0;
    n->range_count = 0;
    n->piece_count = 0;
    n->block_count = 0;
}

static void release_notes(struct tm_collector_notes *n)
{
    free(n->lanes);
    free(n->ranges);
    free(n->pieces);
    free(n->blocks);
    *n = (struct tm_collector_notes){0};
}

enum tm_status tm_noted_batch_extend(struct tm_noted_batch *b, struct tm_error *err)
{
    const uint32_t cap = b->cap;
    if (tm_array_grow(&b->notes, &b->cap, b->count, sizeof *b->notes, err) < 0)
        return TM_E_SYSTEM;
    for (uint32_t i = cap; i < b->cap; i++)
        b->notes[i] = (struct tm_collector_notes){0};
    tm_collector_notes_clear(&b->notes[b->count++]);
    return TM_OK;
}

void tm_noted_batch_release(struct tm_noted_batch *b)
{
    for (uint32_t i = 0; i < b->cap; i++)
        release_notes(&b->notes[i]);
    free(b->notes);
    *b = (struct tm_noted_batch){0};
}
