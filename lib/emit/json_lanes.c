#include "emit/json_lanes.h"

#include "base/hash.h"

#include <stdlib.h>

static struct tm_json_thread *thread_of(const struct tm_json_lanes *lanes, const struct tm_json_holder *holder)
{
    return &lanes->threads[holder->thread - 1];
}

static enum tm_status grow(void *array, uint32_t *cap, uint32_t count, size_t size)
{
    uint32_t more = *cap ? *cap * 2 : 8;
    void *grown;
    if (count < *cap)
        return TM_OK;
    if ((grown = realloc(*(void **)array, more * size)) == NULL)
        return TM_E_SYSTEM;
    *(void **)array = grown;
    *cap = more;
    return TM_OK;
}

enum tm_status tm_json_lanes_join(struct tm_json_lanes *lanes, struct tm_json_holder *holder, uint32_t machine,
                                  int64_t pid, int64_t tid)
{
    uint64_t key = tm_hash_u64(tm_hash_u64((uint64_t)pid) ^ (uint64_t)tid);
    uint32_t number;
    if (holder->thread && (holder->open || (thread_of(lanes, holder)->pid == pid && thread_of(lanes, holder)->tid == tid)))
        return TM_OK;
    if (!tm_map_find(&lanes->by_id, key, &number)) {
        if (grow(&lanes->threads, &lanes->cap, lanes->count, sizeof *lanes->threads) < 0 ||
            tm_map_set(&lanes->by_id, key, lanes->count + 1) < 0)
            return TM_E_SYSTEM;
        lanes->threads[lanes->count] = (struct tm_json_thread){
            .pid = pid, .tid = tid, .machine = machine, .busy = {{.until_ns = INT64_MIN}, {.until_ns = INT64_MIN}}};
        number = ++lanes->count;
    }
    if (lanes->next_tid < TM_JSON_LANE_TID_FIRST)
        lanes->next_tid = TM_JSON_LANE_TID_FIRST;
    if (tid >= lanes->next_tid && tid < INT64_C(2) * TM_JSON_LANE_TID_FIRST) /* a merged file's own lanes */
        lanes->next_tid = tid + 1;
    *holder = (struct tm_json_holder){.thread = number, .number = ++lanes->holder_count, .until_ns = INT64_MIN};
    lanes->threads[number - 1].holder_count++;
    return TM_OK;
}

/* True while HOLDER's slices make it stay on its lane, which is not the thread's own. */
static bool is_bound(const struct tm_json_holder *holder, int64_t ts_ns)
{
    return holder->live || (holder->lane && (holder->open || holder->until_ns > ts_ns));
}

uint32_t tm_json_lanes_now(const struct tm_json_holder *holder, int64_t ts_ns)
{
    return is_bound(holder, ts_ns) ? holder->lane : 0;
}

/* Until when others than HOLDER have complete slices on lane 0. */
static int64_t others_until(const struct tm_json_thread *t, const struct tm_json_holder *holder)
{
    return t->busy[t->busy[0].holder == holder->number].until_ns;
}

/* True when others than HOLDER have slices on lane 0 that did not end. */
static bool is_shared(const struct tm_json_thread *t, const struct tm_json_holder *holder)
{
    return t->open != (holder->lane ? 0 : holder->open);
}

/* HOLDER has a slice on lane 0 until UNTIL_NS. */
static void note_busy(struct tm_json_thread *t, const struct tm_json_holder *holder, int64_t until_ns)
{
    struct tm_json_busy mine = {until_ns, holder->number};
    if (t->busy[0].holder == mine.holder) {
        t->busy[0].until_ns = until_ns > t->busy[0].until_ns ? until_ns : t->busy[0].until_ns;
    } else if (until_ns > t->busy[0].until_ns) {
        t->busy[1] = t->busy[0];
        t->busy[0] = mine;
    } else if (until_ns > t->busy[1].until_ns) {
        t->busy[1] = mine;
    }
}

/* HOLDER's slices go to a lane on which nothing was from SINCE_NS on. */
static enum tm_status take_lane(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t since_ns)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    uint32_t i = t->first_free;
    for (; i < t->lane_count && (t->lanes[i].holder || t->lanes[i].until_ns > since_ns); i++)
        if (i == t->first_free && t->lanes[i].holder)
            t->first_free++;
    if (i == t->lane_count) {
        if (grow(&t->lanes, &t->lane_cap, t->lane_count, sizeof *t->lanes) < 0)
            return TM_E_SYSTEM;
        t->lanes[t->lane_count++] = (struct tm_json_lane){.tid = lanes->next_tid++, .until_ns = INT64_MIN};
    }
    holder->lane = i + 1;
    holder->until_ns = INT64_MIN;
    return TM_OK;
}

/* Holds its lane from now on, or where nothing more is open, to UNTIL_NS. */
static void keep_lane(struct tm_json_thread *t, const struct tm_json_holder *holder, int64_t until_ns)
{
    struct tm_json_lane *lane;
    if (holder->lane == 0) {
        note_busy(t, holder, until_ns);
        return;
    }
    lane = &t->lanes[holder->lane - 1];
    lane->holder = holder->open ? holder->number : 0;
    lane->until_ns = until_ns > lane->until_ns ? until_ns : lane->until_ns;
    if (!lane->holder && t->first_free >= holder->lane)
        t->first_free = holder->lane - 1;
}

static void add_open(struct tm_json_thread *t, struct tm_json_holder *holder)
{
    holder->open++;
    t->open += holder->lane == 0;
}

static void take_open(struct tm_json_thread *t, struct tm_json_holder *holder)
{
    holder->open--;
    t->open -= holder->lane == 0;
}

/* A begin of HOLDER joins those that were written. */
static void count_live(struct tm_json_thread *t, struct tm_json_holder *holder, uint32_t count)
{
    t->live += holder->live == 0 && count && holder->lane == 0;
    holder->live += count;
}

enum tm_status tm_json_lanes_begin(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                   uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    if (!is_bound(holder, ts_ns)) {
        holder->lane = 0;
        bool is_free = !is_shared(t, holder) && others_until(t, holder) <= ts_ns;
        if (!is_free && take_lane(lanes, holder, ts_ns) < 0)
            return TM_E_SYSTEM;
    }
    add_open(t, holder);
    count_live(t, holder, 1);
    keep_lane(t, holder, ts_ns);
    *lane = holder->lane;
    return TM_OK;
}

void tm_json_lanes_end(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns, uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    take_open(t, holder);
    holder->live--;
    t->live -= holder->live == 0 && holder->lane == 0;
    keep_lane(t, holder, ts_ns);
    *lane = holder->lane;
}

enum tm_status tm_json_lanes_stray(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                   uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    struct tm_json_holder alone = *holder;
    *lane = holder->lane;
    if (is_bound(holder, ts_ns))
        return TM_OK;
    *lane = 0;
    if (t->holder_count == 1)
        return TM_OK;
    if (take_lane(lanes, &alone, ts_ns) < 0)
        return TM_E_SYSTEM;
    *lane = alone.lane;
    t->lanes[alone.lane - 1].until_ns = ts_ns;
    return TM_OK;
}

enum tm_status tm_json_lanes_complete(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                      int64_t end_ns, uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    if (!is_bound(holder, ts_ns)) {
        holder->lane = 0;
        if (t->live && take_lane(lanes, holder, ts_ns) < 0)
            return TM_E_SYSTEM;
    }
    if (holder->until_ns < end_ns)
        holder->until_ns = end_ns;
    keep_lane(t, holder, end_ns);
    *lane = holder->lane;
    return TM_OK;
}

enum tm_status tm_json_lanes_open(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns,
                                  bool *is_crossed)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    if (!is_bound(holder, ts_ns) && holder->open == 0) {
        holder->lane = 0;
        if (t->live && take_lane(lanes, holder, ts_ns) < 0)
            return TM_E_SYSTEM;
    }
    *is_crossed = holder->lane == 0 && holder->live == 0 && (is_shared(t, holder) || others_until(t, holder) > ts_ns);
    add_open(t, holder);
    if (holder->lane)
        keep_lane(t, holder, ts_ns);
    return TM_OK;
}

void tm_json_lanes_close(struct tm_json_lanes *lanes, struct tm_json_holder *holder, int64_t ts_ns, uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    take_open(t, holder);
    keep_lane(t, holder, ts_ns);
    *lane = holder->lane;
}

enum tm_status tm_json_lanes_write(struct tm_json_lanes *lanes, struct tm_json_holder *holder, uint32_t count,
                                   int64_t since_ns, bool is_crossed)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    if (holder->live == 0 &&
        (is_crossed || (holder->lane == 0 && (is_shared(t, holder) || others_until(t, holder) > since_ns)))) {
        if (holder->lane)
            t->lanes[holder->lane - 1].holder = 0;
        else
            t->open -= holder->open;
        if (take_lane(lanes, holder, since_ns) < 0)
            return TM_E_SYSTEM;
    }
    count_live(t, holder, count);
    keep_lane(t, holder, since_ns);
    return TM_OK;
}

enum tm_status tm_json_lanes_endless(struct tm_json_lanes *lanes, struct tm_json_holder *holder, bool is_crossed,
                                     uint32_t *lane)
{
    struct tm_json_thread *t = thread_of(lanes, holder);
    struct tm_json_holder endless = {.thread = holder->thread};
    *lane = holder->lane;
    if (!is_crossed)
        return TM_OK;
    if (t->endless_lane == 0 || t->endless_count == TM_JSON_LANE_DEPTH_MAX) {
        if (take_lane(lanes, &endless, INT64_MIN) < 0)
            return TM_E_SYSTEM;
        t->endless_lane = endless.lane;
        t->endless_count = 0;
        t->lanes[endless.lane - 1].until_ns = INT64_MAX;
    }
    t->endless_count++;
    *lane = t->endless_lane;
    return TM_OK;
}

void tm_json_lanes_release(struct tm_json_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++)
        free(lanes->threads[i].lanes);
    free(lanes->threads);
    tm_map_release(&lanes->by_id);
    *lanes = (struct tm_json_lanes){0};
}
