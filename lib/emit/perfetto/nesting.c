#include "emit/perfetto/nesting.h"

#include "base/table.h"

#include <stdlib.h>

/* The lane of track UUID, made if it is new. NULL: no memory. */
static struct tm_nesting_lane *lane_of(struct tm_nesting *n, uint64_t uuid)
{
    uint32_t lane;
    if (tm_map_find(&n->lane_of, uuid, &lane))
        return &n->lanes[lane];
    if (tm_array_grow(&n->lanes, &n->cap, n->count, sizeof *n->lanes, NULL) < 0 ||
        tm_map_set(&n->lane_of, uuid, n->count) < 0)
        return NULL;
    return &n->lanes[n->count++];
}

enum tm_status tm_nesting_add(struct tm_nesting *n, uint64_t uuid, int64_t start_ns, int64_t end_ns)
{
    struct tm_nesting_lane *lane = lane_of(n, uuid);
    if (lane == NULL)
        return TM_E_SYSTEM;
    while (lane->depth > 0 && lane->open[lane->depth - 1] <= start_ns)
        lane->depth--;
    if (lane->depth > 0 && lane->open[lane->depth - 1] < end_ns)
        return TM_END;
    if (tm_array_grow(&lane->open, &lane->cap, lane->depth, sizeof *lane->open, NULL) < 0)
        return TM_E_SYSTEM;
    lane->open[lane->depth++] = end_ns;
    return TM_OK;
}

void tm_nesting_release(struct tm_nesting *n)
{
    for (uint32_t i = 0; i < n->count; i++)
        free(n->lanes[i].open);
    free(n->lanes);
    tm_map_release(&n->lane_of);
    *n = (struct tm_nesting){0};
}
