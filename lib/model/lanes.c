#include "model/lanes.h"

#include "base/heap.h"
#include "model/crossing_lanes.h"

#include <stdlib.h>

struct lane {
    int64_t end; /* of the last slice on it, where slices have no cookies and do not nest */
    uint64_t cookie;
    uint32_t open; /* begins minus ends */
    bool is_free;  /* among the set's free lanes */
    bool is_new;   /* it had no cookie yet */
};

/* A begin of COOKIE whose end is known. */
struct closing {
    int64_t end;
    uint64_t cookie;
};

/* What few sets need. */
struct set_more {
    struct tm_heap closings; /* struct closing, the earliest end first */
    struct tm_heap free;     /* numbers of free lanes, the least first; some may be in use again */
    struct tm_crossing_lanes crossing; /* lanes of slices that have no cookies */
};

/* Most sets have one lane. */
struct tm_lane_set {
    struct lane *lanes;
    uint32_t lane_count, lane_cap;
    struct set_more *more; /* NULL: empty */
};

static bool is_lane_before(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

static bool is_closing_before(const void *a, const void *b)
{
    return ((const struct closing *)a)->end < ((const struct closing *)b)->end;
}

static const struct tm_heap_order BY_LANE = {sizeof(uint32_t), is_lane_before};
static const struct tm_heap_order BY_END = {sizeof(struct closing), is_closing_before};

/* The cookies of a set with more lanes than this are in the table by_cookie. Those of a smaller set are searched one by
 * one. */
enum { LANES_SEARCHED = 4 };

static enum tm_status need_more(struct tm_lane_set *set, struct tm_error *err)
{
    if (set->more == NULL && (set->more = calloc(1, sizeof *set->more)) == NULL)
        return tm_error_nomem(err);
    return TM_OK;
}

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

/* Notes that LANE is free. A set with one lane needs no note: that lane is the first free one whenever it is not
 * open. */
static enum tm_status note_free(struct tm_lane_set *set, uint32_t lane, struct tm_error *err)
{
    enum tm_status st;
    if (set->lane_count == 1)
        return TM_OK;
    if ((st = need_more(set, err)) < 0 || (st = tm_heap_push(&set->more->free, &BY_LANE, &lane, err)) < 0)
        return st;
    set->lanes[lane].is_free = true;
    return TM_OK;
}

/* Returns the first free lane, or TM_TABLE_NONE. */
static int64_t take_free(struct tm_lane_set *set)
{
    if (set->lane_count == 1)
        return set->lanes[0].open ? TM_TABLE_NONE : 0;
    while (set->more && set->more->free.count) {
        uint32_t candidate;
        tm_heap_pop(&set->more->free, &BY_LANE, &candidate);
        set->lanes[candidate].is_free = false;
        if (set->lanes[candidate].open == 0)
            return candidate;
    }
    return TM_TABLE_NONE;
}

static enum tm_status new_lane(struct tm_lane_set *set, uint32_t *lane, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&set->lanes, &set->lane_cap, set->lane_count, sizeof *set->lanes, err);
    if (st < 0)
        return st;
    *lane = set->lane_count++;
    set->lanes[*lane] = (struct lane){.is_new = true};
    /* A set with one lane has not noted whether that is free. */
    return *lane == 1 && set->lanes[0].open == 0 ? note_free(set, 0, err) : TM_OK;
}

static int64_t find_cookie(const struct tm_lanes *lanes, uint32_t set_number, uint64_t cookie)
{
    const struct tm_lane_set *set = &lanes->sets[set_number];
    if (set->lane_count > LANES_SEARCHED)
        return tm_table_find(&lanes->by_cookie, &(struct tm_key){set_number, cookie, 0});
    for (uint32_t i = 0; i < set->lane_count; i++)
        if (set->lanes[i].cookie == cookie)
            return i;
    return TM_TABLE_NONE;
}

/* Puts COOKIE on LANE, which had another, or is the newest and has none. */
static enum tm_status put_cookie(struct tm_lanes *lanes, uint32_t set_number, uint32_t lane, uint64_t cookie,
                                 struct tm_error *err)
{
    struct tm_lane_set *set = &lanes->sets[set_number];
    struct tm_key old = {set_number, set->lanes[lane].cookie, 0};
    bool is_new = set->lanes[lane].is_new;
    enum tm_status st = TM_OK;
    set->lanes[lane].cookie = cookie;
    set->lanes[lane].is_new = false;
    if (set->lane_count <= LANES_SEARCHED)
        return TM_OK;
    if (!is_new)
        tm_table_remove(&lanes->by_cookie, &old);
    uint32_t first = is_new && set->lane_count == LANES_SEARCHED + 1 ? 0 : lane;
    for (uint32_t i = first; st == TM_OK && i <= lane; i++)
        st = tm_table_set(&lanes->by_cookie, &(struct tm_key){set_number, set->lanes[i].cookie, 0}, i, err);
    return st;
}

enum tm_status tm_lanes_cookie(struct tm_lanes *lanes, uint32_t set_number, struct tm_lane_event event, uint32_t *lane,
                               struct tm_error *err)
{
    struct tm_lane_set *set = &lanes->sets[set_number];
    int64_t found = find_cookie(lanes, set_number, event.cookie);
    enum tm_status st;
    if (found == TM_TABLE_NONE && event.effect != TM_LANE_ALONE)
        found = take_free(set);
    if (found != TM_TABLE_NONE)
        *lane = (uint32_t)found;
    else if ((st = new_lane(set, lane, err)) < 0)
        return st;
    struct lane *l = &set->lanes[*lane];
    if ((l->is_new || l->cookie != event.cookie) && (st = put_cookie(lanes, set_number, *lane, event.cookie, err)) < 0)
        return st;
    if (event.effect == TM_LANE_BEGIN)
        l->open++;
    else if (event.effect == TM_LANE_BEGIN_ONCE || event.effect == TM_LANE_ALONE)
        l->open = 1;
    else if (event.effect == TM_LANE_END && l->open)
        l->open--;
    return l->open == 0 && !l->is_free ? note_free(set, *lane, err) : TM_OK;
}

/* True if the earliest known end in SET is at or before TS. */
static bool closes_by(const struct tm_lane_set *set, int64_t ts)
{
    return set->more && set->more->closings.count && ((const struct closing *)set->more->closings.items)->end <= ts;
}

enum tm_status tm_lanes_complete(struct tm_lanes *lanes, uint32_t set_number, struct tm_lane_slice slice,
                                 uint32_t *lane, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && closes_by(&lanes->sets[set_number], slice.ts)) {
        struct closing closing;
        tm_heap_pop(&lanes->sets[set_number].more->closings, &BY_END, &closing);
        st = tm_lanes_cookie(lanes, set_number, (struct tm_lane_event){closing.cookie, TM_LANE_END}, lane, err);
    }
    const struct tm_lane_event begin = {slice.cookie, TM_LANE_BEGIN};
    if (st < 0 || (st = tm_lanes_cookie(lanes, set_number, begin, lane, err)) < 0)
        return st;
    const struct closing closing = {slice.end, slice.cookie};
    struct tm_lane_set *set = &lanes->sets[set_number];
    return (st = need_more(set, err)) < 0 ? st : tm_heap_push(&set->more->closings, &BY_END, &closing, err);
}

enum tm_status tm_lanes_first_free(struct tm_lanes *lanes, uint32_t set_number, struct tm_lane_slice slice,
                                   uint32_t *lane, struct tm_error *err)
{
    struct tm_lane_set *set = &lanes->sets[set_number];
    uint32_t i = 0;
    while (i < set->lane_count && set->lanes[i].end > slice.ts)
        i++;
    if (i == set->lane_count) {
        if (i == TM_LANES_CROSSING_MAX)
            return TM_END;
        enum tm_status st = tm_array_grow(&set->lanes, &set->lane_cap, set->lane_count, sizeof *set->lanes, err);
        if (st < 0)
            return st;
        set->lanes[set->lane_count++] = (struct lane){0};
    }
    set->lanes[i].end = slice.end;
    *lane = i;
    return TM_OK;
}

bool tm_lanes_is_open(const struct tm_lanes *lanes, uint32_t set, uint32_t lane)
{
    return lanes->sets[set].lanes[lane].open != 0;
}

enum tm_status tm_lanes_crossing(struct tm_lanes *lanes, uint32_t set, struct tm_lane_slice slice, uint32_t *lane,
                                 struct tm_error *err)
{
    enum tm_status st = need_more(&lanes->sets[set], err);
    if (st < 0)
        return st;
    st = tm_crossing_lanes_add(&lanes->sets[set].more->crossing, TM_LANES_CROSSING_MAX, slice.ts, slice.end, lane);
    return st < 0 ? tm_error_nomem(err) : st;
}

void tm_lanes_release(struct tm_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->set_count; i++) {
        struct set_more *more = lanes->sets[i].more;
        free(lanes->sets[i].lanes);
        if (more == NULL)
            continue;
        tm_crossing_lanes_release(&more->crossing);
        tm_heap_release(&more->free);
        tm_heap_release(&more->closings);
        free(more);
    }
    free(lanes->sets);
    tm_table_release(&lanes->by_key);
    tm_table_release(&lanes->by_cookie);
    *lanes = (struct tm_lanes){0};
}
