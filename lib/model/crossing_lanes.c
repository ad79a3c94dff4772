#include "model/crossing_lanes.h"

#include "base/table.h"

#include <stdlib.h>

/* The ends of a lane's open slices, outermost first. */
struct tm_crossing_lane {
    int64_t *ends;
    uint32_t count, cap;
};

/* The earliest and the latest end of an innermost slice on the lanes below a node. An empty lane counts as one whose
 * slice never ends: it takes any slice, and nothing on it has ended. */
struct tm_crossing_span {
    int64_t least, most;
};

static void refresh(struct tm_crossing_lanes *set, uint32_t lane)
{
    const struct tm_crossing_lane *l = &set->lanes[lane];
    struct tm_crossing_span *tree = set->tree;
    uint32_t node = set->cap + lane;
    tree[node].least = tree[node].most = l->count ? l->ends[l->count - 1] : INT64_MAX;
    while (node /= 2) {
        const struct tm_crossing_span *left = &tree[2 * node], *right = left + 1;
        tree[node].least = left->least < right->least ? left->least : right->least;
        tree[node].most = left->most > right->most ? left->most : right->most;
    }
}

static enum tm_status widen(struct tm_crossing_lanes *set)
{
    uint32_t cap = set->cap ? 2 * set->cap : 1;
    struct tm_crossing_lane *lanes = realloc(set->lanes, cap * sizeof *lanes);
    if (lanes == NULL)
        return TM_E_SYSTEM;
    set->lanes = lanes;
    struct tm_crossing_span *tree = realloc(set->tree, 2 * (size_t)cap * sizeof *tree);
    if (tree == NULL)
        return TM_E_SYSTEM;
    set->tree = tree;
    for (uint32_t i = set->cap; i < cap; i++)
        lanes[i] = (struct tm_crossing_lane){0};
    for (uint32_t i = 1; i < 2 * cap; i++)
        tree[i] = (struct tm_crossing_span){INT64_MAX, INT64_MAX};
    uint32_t before = set->cap;
    set->cap = cap;
    for (uint32_t i = 0; i < before; i++)
        refresh(set, i);
    return TM_OK;
}

/* Removes the slices that have ended by START_NS. A slice that ends at INT64_MAX stays, because no slice begins after
 * it. */
static void drop_ended(struct tm_crossing_lanes *set, int64_t start_ns)
{
    int64_t past_ns = start_ns < INT64_MAX ? start_ns : INT64_MAX - 1;
    while (set->cap && set->tree[1].least <= past_ns) {
        uint32_t node = 1;
        while (node < set->cap)
            node = 2 * node + (set->tree[2 * node].least > past_ns);
        set->lanes[node - set->cap].count--;
        refresh(set, node - set->cap);
    }
}

enum tm_status tm_crossing_lanes_add(struct tm_crossing_lanes *set, uint32_t max, int64_t start_ns, int64_t end_ns,
                                     uint32_t *lane)
{
    drop_ended(set, start_ns);
    uint32_t node = 1, at = set->cap;
    if (set->cap && set->tree[1].most >= end_ns) {
        while (node < set->cap)
            node = 2 * node + (set->tree[2 * node].most < end_ns);
        at = node - set->cap;
    }
    if (at >= max)
        return TM_END;
    if (at == set->cap && widen(set) < 0)
        return TM_E_SYSTEM;
    struct tm_crossing_lane *l = &set->lanes[at];
    if (tm_array_grow(&l->ends, &l->cap, l->count, sizeof *l->ends, NULL) < 0)
        return TM_E_SYSTEM;
    l->ends[l->count++] = end_ns;
    refresh(set, at);
    *lane = at;
    return TM_OK;
}

void tm_crossing_lanes_release(struct tm_crossing_lanes *set)
{
    for (uint32_t i = 0; i < set->cap; i++)
        free(set->lanes[i].ends);
    free(set->lanes);
    free(set->tree);
    *set = (struct tm_crossing_lanes){0};
}
