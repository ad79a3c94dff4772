#include "emit/perfetto/nesting.h"

#include "base/table.h"

#include <stdlib.h>

/* Finds or makes the lane of track UUID. NULL: no memory. */
static struct tm_nesting_lane *lane_of(struct tm_nesting *n, uint64_t uuid)
{
    uint32_t track;
    if (tm_track_numbers_find(&n->tracks, uuid, &track))
        return &n->lanes[track];
    track = tm_track_numbers_count(&n->tracks);
    if (tm_array_grow(&n->lanes, &n->cap, track, sizeof *n->lanes, NULL) < 0 ||
        tm_track_numbers_add(&n->tracks, uuid) != TM_OK)
        return NULL;
    return &n->lanes[track];
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

/* Finds or makes the further lanes of track UUID. NULL: no memory. */
static struct tm_crossing_lanes *further_of(struct tm_nesting *n, uint64_t uuid)
{
    uint32_t at;
    if (tm_map_find(&n->further_of, uuid, &at))
        return &n->further[at];
    if (tm_array_grow(&n->further, &n->further_cap, n->further_count, sizeof *n->further, NULL) < 0 ||
        tm_map_set(&n->further_of, uuid, n->further_count) < 0)
        return NULL;
    return &n->further[n->further_count++];
}

enum tm_status tm_nesting_further(struct tm_nesting *n, uint64_t uuid, int64_t start_ns, int64_t end_ns,
                                  uint32_t *lane)
{
    struct tm_crossing_lanes *lanes = further_of(n, uuid);
    if (lanes == NULL)
        return TM_E_SYSTEM;
    enum tm_status st = tm_crossing_lanes_add(lanes, TM_NESTING_LANES_MAX, start_ns, end_ns, lane);
    if (st == TM_END)
        *lane = TM_NESTING_LANES_MAX - 1;
    ++*lane;
    return st < 0 ? st : TM_OK;
}

void tm_nesting_release(struct tm_nesting *n)
{
    for (uint32_t i = 0; i < n->further_count; i++)
        tm_crossing_lanes_release(&n->further[i]);
    free(n->further);
    tm_map_release(&n->further_of);
    for (uint32_t i = 0; i < tm_track_numbers_count(&n->tracks); i++)
        free(n->lanes[i].open);
    free(n->lanes);
    tm_track_numbers_release(&n->tracks);
    *n = (struct tm_nesting){0};
}
