#include "emit/chrome_json/lanes.h"

#include "base/table.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

static struct tm_json_thread *thread_of(const struct tm_json_lanes *lanes, const struct tm_json_holder *holder)
{
    return &lanes->threads[holder->thread - 1];
}

static struct tm_json_lane *lane_of(const struct tm_json_lanes *lanes, const struct tm_json_holder *holder)
{
    return &thread_of(lanes, holder)->lanes[holder->lane];
}

/* Returns the lanes of FILE on THREAD, except lane 0; NULL: none. */
static struct tm_json_lane_list *list_of(const struct tm_json_lanes *lanes, uint32_t thread, uint32_t file)
{
    uint32_t list;
    return tm_map_find(&lanes->list_of, (uint64_t)thread << 32 | file, &list) ? &lanes->lists[list] : NULL;
}

static enum tm_status put_lane(struct tm_json_thread *t, int64_t tid, uint32_t file)
{
    if (tm_array_grow(&t->lanes, &t->lane_cap, t->lane_count, sizeof *t->lanes, NULL) < 0)
        return TM_E_SYSTEM;
    t->lanes[t->lane_count++] =
        (struct tm_json_lane){.tid = tid, .file = file, .until_ns = INT64_MIN, .last_ns = INT64_MIN};
    return TM_OK;
}

/* Adds a lane for the file of HOLDER to its thread. */
static enum tm_status add_lane(struct tm_json_lanes *lanes, const struct tm_json_holder *holder)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    struct tm_json_lane_list *list = list_of(lanes, holder->thread, holder->file);
    if (list == NULL) {
        if (tm_array_grow(&lanes->lists, &lanes->list_cap, lanes->list_count, sizeof *lanes->lists, NULL) < 0 ||
            tm_map_set(&lanes->list_of, (uint64_t)holder->thread << 32 | holder->file, lanes->list_count) < 0)
            return TM_E_SYSTEM;
        list = &lanes->lists[lanes->list_count++];
        *list = (struct tm_json_lane_list){0};
    }
    if (tm_array_grow(&list->lanes, &list->cap, list->count, sizeof *list->lanes, NULL) < 0 ||
        put_lane(t, lanes->next_tid++, holder->file) < 0)
        return TM_E_SYSTEM;
    list->lanes[list->count++] = t->lane_count - 1;
    t->lanes[t->lane_count - 1].place = list->count;
    return TM_OK;
}

void tm_json_lanes_avoid(struct tm_json_lanes *lanes, int64_t tid)
{
    if (lanes->next_tid < TM_JSON_LANE_TID_FIRST)
        lanes->next_tid = TM_JSON_LANE_TID_FIRST;
    if (tid >= lanes->next_tid && tid < INT64_C(2) * TM_JSON_LANE_TID_FIRST)
        lanes->next_tid = tid + 1;
}

enum tm_status tm_json_lanes_join(struct tm_json_lanes *lanes, struct tm_json_holder *holder,
                                  const struct tm_json_owner *owner)
{
    uint32_t number;
    if (holder->thread) {
        const struct tm_json_thread *t = thread_of(lanes, holder);
        const struct tm_json_lane *l = lane_of(lanes, holder);
        if ((t->pid == owner->pid && t->tid == owner->tid) || (l->holder == holder->number && l->is_open))
            return TM_OK;
    }
    const uint64_t key = tm_hash_u64(tm_hash_u64((uint64_t)owner->pid) ^ (uint64_t)owner->tid);
    if (!tm_map_find(&lanes->by_id, key, &number)) {
        struct tm_json_thread t = {.pid = owner->pid, .tid = owner->tid, .machine = owner->machine};
        if (tm_array_grow(&lanes->threads, &lanes->cap, lanes->count, sizeof *lanes->threads, NULL) < 0 ||
            put_lane(&t, owner->tid, owner->file) < 0)
            return TM_E_SYSTEM;
        lanes->threads[lanes->count++] = t;
        number = lanes->count;
        if (tm_map_set(&lanes->by_id, key, number) < 0)
            return TM_E_SYSTEM;
    }
    tm_json_lanes_avoid(lanes, owner->tid);
    *holder = (struct tm_json_holder){.thread = number, .number = ++lanes->holder_count, .file = owner->file};
    return TM_OK;
}

/* True if no slice lasts past SINCE_NS and nothing began at exactly that time, because events without length would nest
 * in each other. */
static bool is_free(const struct tm_json_lane *lane, int64_t since_ns)
{
    return !lane->is_open && lane->until_ns <= since_ns && (lane->holder == 0 || lane->last_ns < since_ns);
}

/* Finds the first free lane for the file of HOLDER; UINT32_MAX: none. */
static uint32_t find_free(const struct tm_json_lanes *lanes, const struct tm_json_holder *holder, int64_t since_ns)
{
    const struct tm_json_thread *t = thread_of(lanes, holder);
    struct tm_json_lane_list *list = list_of(lanes, holder->thread, holder->file);
    if (is_free(&t->lanes[0], since_ns))
        return 0;
    if (list == NULL)
        return UINT32_MAX;
    while (list->first_free < list->count && t->lanes[list->lanes[list->first_free]].is_open)
        list->first_free++;
    for (uint32_t i = list->first_free; i < list->count; i++)
        if (is_free(&t->lanes[list->lanes[i]], since_ns))
            return list->lanes[i];
    return UINT32_MAX;
}

enum tm_status tm_json_lanes_take(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    struct tm_json_lane *l = &t->lanes[holder->lane];
    if (l->holder == holder->number)
        return TM_OK;
    if (!is_free(l, since_ns)) {
        uint32_t lane = find_free(lanes, holder, since_ns);
        if (lane == UINT32_MAX && add_lane(lanes, holder) < 0)
            return TM_E_SYSTEM;
        holder->lane = lane == UINT32_MAX ? t->lane_count - 1 : lane;
    }
    t->lanes[holder->lane].holder = holder->number;
    return TM_OK;
}

enum tm_status tm_json_lanes_take_last(struct tm_json_lanes *lanes, struct tm_json_holder *holder)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    if (t->lanes[holder->lane].holder == holder->number)
        return TM_OK;
    holder->lane = 0;
    if (t->lanes[0].holder != 0) {
        if (add_lane(lanes, holder) < 0)
            return TM_E_SYSTEM;
        holder->lane = t->lane_count - 1;
    }
    t->lanes[holder->lane].holder = holder->number;
    return TM_OK;
}

enum tm_status tm_json_lanes_leave(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns)
{
    struct tm_json_lane *l = lane_of(lanes, holder);
    bool was_open = l->is_open;
    tm_json_lanes_set_open(lanes, holder, false);
    l->holder = UINT32_MAX; /* no holder now, but it has had one */
    l->last_ns = since_ns > l->last_ns ? since_ns : l->last_ns;
    enum tm_status st = tm_json_lanes_take(lanes, holder, since_ns);
    lane_of(lanes, holder)->is_open = was_open;
    return st;
}

void tm_json_lanes_use(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, int64_t ts_ns, int64_t end_ns)
{
    struct tm_json_lane *l = lane_of(lanes, holder);
    l->last_ns = ts_ns > l->last_ns ? ts_ns : l->last_ns;
    l->until_ns = end_ns > l->until_ns ? end_ns : l->until_ns;
}

void tm_json_lanes_set_open(struct tm_json_lanes *lanes, const struct tm_json_holder *holder, bool is_open)
{
    struct tm_json_lane *l = lane_of(lanes, holder);
    l->is_open = is_open;
    if (is_open || l->place == 0)
        return;
    struct tm_json_lane_list *list = list_of(lanes, holder->thread, l->file);
    assert(list); /* each lane with a place is in a list */
    if (l->place - 1 < list->first_free)
        list->first_free = l->place - 1;
}

enum tm_status tm_json_lanes_endless(struct tm_json_lanes *lanes, struct tm_json_holder *holder, bool is_crossed,
                                     uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    *lane = holder->lane;
    if (!is_crossed)
        return TM_OK;
    if (t->endless_lane == 0 || t->endless_count == TM_JSON_LANE_DEPTH_MAX) {
        if (add_lane(lanes, holder) < 0)
            return TM_E_SYSTEM;
        t->endless_lane = t->lane_count - 1;
        t->endless_count = 0;
        t->lanes[t->endless_lane].is_open = true;
    }
    t->endless_count++;
    *lane = t->endless_lane;
    return TM_OK;
}

void tm_json_lanes_release(struct tm_json_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        free(lanes->threads[i].lanes);
    for (uint32_t i = 0; i < lanes->list_count; i++)
        free(lanes->lists[i].lanes);
    free(lanes->threads);
    free(lanes->lists);
    tm_map_release(&lanes->by_id);
    tm_map_release(&lanes->list_of);
    *lanes = (struct tm_json_lanes){0};
}
