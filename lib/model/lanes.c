#include "model/lanes.h"

#include "model/crossing_lanes.h"

#include <stdlib.h>

struct lane {
    int64_t end; /* of the last slice on it, where slices have no cookies and do not nest */
    uint64_t cookie;
    uint32_t open; /* begins minus ends */
    bool is_free;  /* in the set's heap of free lanes */
};

/* A begin of COOKIE whose end is known. */
struct closing {
    int64_t end;
    uint64_t cookie;
};

struct tm_lane_set {
    struct closing *closings; /* a heap, the earliest end first */
    uint32_t closing_count, closing_cap;
    struct lane *lanes;
    uint32_t lane_count, lane_cap;
    uint32_t *heap; /* numbers of free lanes, least first; some may be in use again */
    uint32_t heap_count, heap_cap;
    struct tm_crossing_lanes crossing; /* lanes of slices that have no cookies */
};

enum tm_status tm_lanes_set(struct tm_lanes *lanes, const struct tm_key *key, uint32_t *set, struct tm_error *err)
{
    int64_t found = tm_table_find(&lanes->by_key, key);
    enum tm_status st;
    if (found != TM_TABLE_NONE) {
        *set = (uint32_t)found;
        return TM_OK;
    }
    if ((st = tm_array_grow(&lanes->sets, &lanes->set_cap, lanes->set_count, sizeof *lanes->sets, err)) < 0 ||
        (st = tm_table_set(&lanes->by_key, key, lanes->set_count, err)) < 0)
        return st;
    *set = lanes->set_count++;
    return TM_OK;
}

static enum tm_status heap_push(struct tm_lane_set *set, uint32_t lane, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&set->heap, &set->heap_cap, set->heap_count, sizeof *set->heap, err);
    if (st < 0)
        return st;
    uint32_t i = set->heap_count++;
    for (; i > 0 && set->heap[(i - 1) / 2] > lane; i = (i - 1) / 2)
        set->heap[i] = set->heap[(i - 1) / 2];
    set->heap[i] = lane;
    set->lanes[lane].is_free = true;
    return TM_OK;
}

static uint32_t heap_pop(struct tm_lane_set *set)
{
    uint32_t least = set->heap[0], last = set->heap[--set->heap_count], i = 0, child;
    while ((child = 2 * i + 1) < set->heap_count) {
        if (child + 1 < set->heap_count && set->heap[child + 1] < set->heap[child])
            child++;
        if (set->heap[child] >= last)
            break;
        set->heap[i] = set->heap[child];
        i = child;
    }
    set->heap[i] = last;
    set->lanes[least].is_free = false;
    return least;
}

static enum tm_status new_lane(struct tm_lane_set *set, uint32_t *lane, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&set->lanes, &set->lane_cap, set->lane_count, sizeof *set->lanes, err);
    if (st < 0)
        return st;
    *lane = set->lane_count++;
    set->lanes[*lane] = (struct lane){0};
    return TM_OK;
}

enum tm_status tm_lanes_cookie(struct tm_lanes *lanes, uint32_t set_number, uint64_t cookie, enum tm_lane_event event,
                               uint32_t *lane, struct tm_error *err)
{
    struct tm_lane_set *set = &lanes->sets[set_number];
    struct tm_key key = {set_number, cookie, 0};
    int64_t found = tm_table_find(&lanes->by_cookie, &key);
    enum tm_status st;
    while (found == TM_TABLE_NONE && set->heap_count) {
        uint32_t candidate = heap_pop(set);
        if (set->lanes[candidate].open == 0)
            found = candidate;
    }
    if (found == TM_TABLE_NONE) {
        if ((st = new_lane(set, lane, err)) < 0)
            return st;
    } else {
        *lane = (uint32_t)found;
    }
    struct lane *l = &set->lanes[*lane];
    if (found == TM_TABLE_NONE || l->cookie != cookie) {
        struct tm_key old = {set_number, l->cookie, 0};
        if (found != TM_TABLE_NONE)
            tm_table_remove(&lanes->by_cookie, &old);
        l->cookie = cookie;
        if ((st = tm_table_set(&lanes->by_cookie, &key, *lane, err)) < 0)
            return st;
    }
    if (event == TM_LANE_BEGIN)
        l->open++;
    else if (event == TM_LANE_BEGIN_ONCE)
        l->open = 1;
    else if (event == TM_LANE_END && l->open)
        l->open--;
    return l->open == 0 && !l->is_free ? heap_push(set, *lane, err) : TM_OK;
}

static enum tm_status push_closing(struct tm_lane_set *set, struct closing closing, struct tm_error *err)
{
    enum tm_status st =
        tm_array_grow(&set->closings, &set->closing_cap, set->closing_count, sizeof *set->closings, err);
    if (st < 0)
        return st;
    uint32_t i = set->closing_count++;
    for (; i > 0 && set->closings[(i - 1) / 2].end > closing.end; i = (i - 1) / 2)
        set->closings[i] = set->closings[(i - 1) / 2];
    set->closings[i] = closing;
    return TM_OK;
}

static struct closing pop_closing(struct tm_lane_set *set)
{
    struct closing first = set->closings[0], last = set->closings[--set->closing_count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < set->closing_count) {
        if (child + 1 < set->closing_count && set->closings[child + 1].end < set->closings[child].end)
            child++;
        if (set->closings[child].end >= last.end)
            break;
        set->closings[i] = set->closings[child];
        i = child;
    }
    set->closings[i] = last;
    return first;
}

enum tm_status tm_lanes_complete(struct tm_lanes *lanes, uint32_t set_number, uint64_t cookie, int64_t ts, int64_t end,
                                 uint32_t *lane, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && lanes->sets[set_number].closing_count && lanes->sets[set_number].closings[0].end <= ts) {
        struct closing closing = pop_closing(&lanes->sets[set_number]);
        st = tm_lanes_cookie(lanes, set_number, closing.cookie, TM_LANE_END, lane, err);
    }
    if (st < 0 || (st = tm_lanes_cookie(lanes, set_number, cookie, TM_LANE_BEGIN, lane, err)) < 0)
        return st;
    return push_closing(&lanes->sets[set_number], (struct closing){end, cookie}, err);
}

enum tm_status tm_lanes_flat(struct tm_lanes *lanes, uint32_t set_number, int64_t ts, int64_t end, uint32_t *lane,
                             struct tm_error *err)
{
    struct tm_lane_set *set = &lanes->sets[set_number];
    uint32_t i = 0;
    while (i < set->lane_count && set->lanes[i].end > ts)
        i++;
    if (i == set->lane_count) {
        if (i == TM_LANES_CROSSING_MAX)
            return TM_END;
        enum tm_status st = tm_array_grow(&set->lanes, &set->lane_cap, set->lane_count, sizeof *set->lanes, err);
        if (st < 0)
            return st;
        set->lanes[set->lane_count++] = (struct lane){0};
    }
    set->lanes[i].end = end;
    *lane = i;
    return TM_OK;
}

bool tm_lanes_is_open(const struct tm_lanes *lanes, uint32_t set, uint32_t lane)
{
    return lanes->sets[set].lanes[lane].open != 0;
}

enum tm_status tm_lanes_crossing(struct tm_lanes *lanes, uint32_t set, int64_t ts, int64_t end, uint32_t *lane,
                                 struct tm_error *err)
{
    enum tm_status st = tm_crossing_lanes_add(&lanes->sets[set].crossing, TM_LANES_CROSSING_MAX, ts, end, lane);
    return st < 0 ? tm_error_nomem(err) : st;
}

void tm_lanes_release(struct tm_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->set_count; i++) {
        tm_crossing_lanes_release(&lanes->sets[i].crossing);
        free(lanes->sets[i].lanes);
        free(lanes->sets[i].heap);
        free(lanes->sets[i].closings);
    }
    free(lanes->sets);
    tm_table_release(&lanes->by_key);
    tm_table_release(&lanes->by_cookie);
    *lanes = (struct tm_lanes){0};
}
