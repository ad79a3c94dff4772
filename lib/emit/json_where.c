/* Which process and thread of the output objects of Chrome JSON are of.
 *
 * What two files say of one thread is on two stacks. Where files do meet, each event of a slice is on the lane that its
 * file's stack has (json_lanes.h); else nothing changes. Threads come in turns: what was found of the last ones is kept
 * at hand, since this is asked for every object. */
#include "emit/json_work.h"

#include "base/hash.h"

#include <stdlib.h>

/* Labels are strings' ids, or hashes of those that have none. */
struct tm_json_raw_begun {
    int64_t ts_ns;
    uint64_t category, name;
};

/* Begins of one file on one thread that did not end. */
struct tm_json_raw_stack {
    struct tm_json_holder holder;
    struct tm_json_raw_begun *begun;
    uint32_t depth, cap;
};

enum { RAW_DEPTH_MAX = 512 }; /* deeper slices are no reader's (model/slices.h) */

static uint64_t label_of(const struct tm_json_out *j, const struct tm_event *e, uint32_t string)
{
    if (string == 0)
        return 0;
    if (!(string & TM_STRING_INLINE))
        return string;
    struct tm_text text = tm_json_row_string(j, string, e);
    return text.data ? tm_hash64(text.data, text.len) | UINT64_C(1) << 63 : 0;
}

static enum tm_status push(struct tm_json_raw_stack *s, struct tm_json_raw_begun begun)
{
    if (s->depth == s->cap) {
        uint32_t cap = s->cap ? s->cap * 2 : 4;
        struct tm_json_raw_begun *grown = realloc(s->begun, cap * sizeof *grown);
        if (grown == NULL)
            return TM_E_SYSTEM;
        s->begun = grown;
        s->cap = cap;
    }
    s->begun[s->depth++] = begun;
    return TM_OK;
}

/* Takes off what END ends: the innermost that it can mean, and what is open within that. Readers take the ends of a
 * moment before its begins. How many that were; 0: it means none. */
static uint32_t pop(struct tm_json_raw_stack *s, const struct tm_json_raw_begun *end)
{
    uint32_t last = s->depth, i;
    while (last > 0 && s->begun[last - 1].ts_ns == end->ts_ns)
        last--;
    for (i = last; i > 0; i--) {
        const struct tm_json_raw_begun *b = &s->begun[i - 1];
        if ((end->category == 0 || b->category == 0 || b->category == end->category) &&
            (end->name == 0 || end->name == b->name))
            break;
    }
    if (i == 0)
        return 0;
    memmove(&s->begun[i - 1], &s->begun[last], (s->depth - last) * sizeof *s->begun);
    s->depth -= last - i + 1;
    return last - i + 1;
}

/* The stack of E's file on the thread that it is of; *STACK its number plus 1. */
static enum tm_status stack_of(struct tm_json_out *j, const struct tm_event *e, uint32_t *stack, struct tm_error *err)
{
    uint64_t key = tm_hash_u64((uint64_t)e->file << 32 | e->machine);
    key = tm_hash_u64(tm_hash_u64(key ^ (uint64_t)e->pid) ^ (uint64_t)e->tid);
    if (tm_map_find(&j->raw_by_key, key, stack))
        return TM_OK;
    if (j->raw_count == j->raw_cap) {
        uint32_t cap = j->raw_cap ? j->raw_cap * 2 : 64;
        struct tm_json_raw_stack *grown = realloc(j->raw_stacks, cap * sizeof *grown);
        if (grown == NULL)
            return tm_error_nomem(err);
        j->raw_stacks = grown;
        j->raw_cap = cap;
    }
    j->raw_stacks[j->raw_count] = (struct tm_json_raw_stack){0};
    *stack = ++j->raw_count;
    return tm_map_set(&j->raw_by_key, key, *stack) == TM_OK ? TM_OK : tm_error_nomem(err);
}

static enum tm_status end(struct tm_json_out *j, const struct tm_json_raw_begun *event, struct tm_json_raw_stack *s,
                          uint32_t *lane)
{
    uint32_t ended = pop(s, event);
    if (ended == 0)
        return tm_json_lanes_stray(&j->spans.lanes, &s->holder, event->ts_ns, lane);
    for (; ended > 0; ended--)
        tm_json_lanes_end(&j->spans.lanes, &s->holder, event->ts_ns, lane);
    return TM_OK;
}

/* Where the stack S has E. */
static enum tm_status lane_of(struct tm_json_out *j, const struct tm_event *e, struct tm_json_raw_stack *s, uint32_t *lane)
{
    struct tm_json_lanes *lanes = &j->spans.lanes;
    struct tm_json_raw_begun event = {e->time_ns, label_of(j, e, e->category), label_of(j, e, e->name)};
    int64_t end_ns = e->time_ns;
    *lane = 0;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
        if (s->depth == RAW_DEPTH_MAX) {
            *lane = s->holder.lane;
            return TM_OK;
        }
        if (push(s, event) < 0)
            return TM_E_SYSTEM;
        return tm_json_lanes_begin(lanes, &s->holder, e->time_ns, lane);
    case TM_KIND_SLICE_END:
        return end(j, &event, s, lane);
    case TM_KIND_SLICE_COMPLETE:
        if (e->dur_ns > 0)
            end_ns = e->time_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->time_ns + e->dur_ns;
        tm_json_spans_meet(&j->spans, s->holder.thread - 1, e->time_ns);
        return tm_json_lanes_complete(lanes, &s->holder, e->time_ns, end_ns, lane);
    default: /* flows are of the slice around them */
        *lane = tm_json_lanes_now(&s->holder, e->time_ns);
        return TM_OK;
    }
}

/* Slices of threads, and flows, which find these. */
static bool has_lane(const struct tm_event *e)
{
    return !(e->flags & TM_EVENT_ASYNC) &&
           ((e->kind >= TM_KIND_SLICE_BEGIN && e->kind <= TM_KIND_SLICE_COMPLETE) ||
            (e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END));
}

/* What is known of E's process and thread, looked up where it is not at hand. */
static enum tm_status recent_of(struct tm_json_out *j, const struct tm_event *e, struct tm_json_recent **recent,
                                struct tm_error *err)
{
    uint64_t hash = ((uint64_t)e->pid * 31 + (uint64_t)e->tid) * UINT64_C(0x9e3779b97f4a7c15) + e->file * UINT64_C(0x85ebca6b);
    struct tm_json_recent *r = &j->recent[(hash >> 40 ^ hash) & (TM_JSON_RECENT - 1)];
    enum tm_status st;
    *recent = r;
    if (r->is_there && r->pid == e->pid && r->tid == e->tid && r->file == e->file && r->machine == e->machine &&
        r->changes == j->changes)
        return TM_OK;
    *r = (struct tm_json_recent){
        .pid = e->pid, .tid = e->tid, .out_pid = e->pid, .file = e->file, .machine = e->machine, .changes = j->changes};
    if (!(e->flags & TM_EVENT_HAS_PID))
        return TM_OK;
    if ((st = tm_json_out_pid(j, e->machine, e->pid, &r->out_pid, err)) < 0 ||
        (st = tm_json_out_source(j, e, r->out_pid, err)) < 0)
        return st;
    r->is_there = true;
    return TM_OK;
}

enum tm_status tm_json_out_where(struct tm_json_out *j, const struct tm_event *e, struct tm_json_where *where,
                                 struct tm_error *err)
{
    struct tm_json_recent *r;
    uint32_t lane = 0;
    enum tm_status st = recent_of(j, e, &r, err);
    if (st < 0)
        return st;
    *where = (struct tm_json_where){.pid = r->out_pid};
    if (!j->meets || !has_lane(e))
        return TM_OK;
    if (r->stack == 0) {
        if ((st = stack_of(j, e, &r->stack, err)) < 0)
            return st;
        if (tm_json_lanes_join(&j->spans.lanes, &j->raw_stacks[r->stack - 1].holder, e->machine, r->out_pid,
                               e->tid) < 0)
            return tm_error_nomem(err);
    }
    struct tm_json_raw_stack *s = &j->raw_stacks[r->stack - 1];
    if (lane_of(j, e, s, &lane) < 0)
        return tm_error_nomem(err);
    where->has_tid = lane != 0;
    return lane ? tm_json_out_tid(j, s->holder.thread - 1, lane, &where->tid, err) : TM_OK;
}

enum tm_status tm_json_out_learn(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_text *type = &j->context->catalog->files[e->file].type;
    bool of_json = type->len == 4 && memcmp(type->data, "json", 4) == 0;
    enum tm_raw raw = tm_event_raw(e->flags);
    return j->meets && of_json && (raw == TM_RAW_JSON || raw == TM_RAW_NONE) ? tm_who_learn(&j->said, e, err) : TM_OK;
}

enum tm_status tm_json_out_tid(struct tm_json_out *j, uint32_t thread, uint32_t lane, int64_t *tid, struct tm_error *err)
{
    struct tm_json_thread *t = &j->spans.lanes.threads[thread];
    struct tm_text name;
    *tid = lane ? t->lanes[lane - 1].tid : t->tid;
    if (lane == 0 || t->lanes[lane - 1].is_named)
        return TM_OK;
    t->lanes[lane - 1].is_named = true;
    name = tm_who_thread(&j->who, t->machine, t->tid);
    if (name.data == NULL)
        name = tm_who_thread(&j->said, t->machine, t->tid);
    tm_buf_clear(&j->scratch);
    if (tm_buf_add(&j->scratch, name.data, name.len) < 0 ||
        tm_buf_addf(&j->scratch, "%s(tid %lld, part %u)", name.len ? " " : "", (long long)t->tid, lane + 1) < 0)
        return tm_error_nomem(err);
    return tm_json_out_name(j, t->pid, tid, (struct tm_text){j->scratch.data, j->scratch.len}, err);
}

void tm_json_out_where_release(struct tm_json_out *j)
{
    for (uint32_t i = 0; i < j->raw_count; i++)
        free(j->raw_stacks[i].begun);
    free(j->raw_stacks);
    tm_map_release(&j->raw_by_key);
    tm_who_release(&j->said);
}
