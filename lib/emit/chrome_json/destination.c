/* The process and thread in the output of objects of Chrome JSON.
 *
 * The slices of two files on one thread are two stacks. If several files have events, each event of a thread's slices
 * goes to the lane of its file's stack (lanes.h), and other stacks avoid the lane while a reader has slices of it open
 * (reading.h). With one file nothing changes. The last threads are cached, because every object needs this and threads
 * come in turns. */
#include "emit/chrome_json/internal.h"

#include "base/hash.h"

#include <stdlib.h>

/* The part of one file on one thread. */
struct tm_json_raw_stack {
    struct tm_json_holder holder;
    bool awaits; /* a flow ends at its next slice */
};

static tm_slice_label label_of(const struct tm_json_out *j, const struct tm_event *e, uint32_t string)
{
    if (!(string & TM_STRING_INLINE))
        return string;
    struct tm_text text = tm_json_row_string(j, string, e);
    return text.data ? tm_hash64(text.data, text.len) | UINT64_C(1) << 63 : 0;
}

/* Finds the stack of E's file on E's thread in output process PID. *STACK is its number plus 1. */
static enum tm_status stack_of(struct tm_json_out *j, const struct tm_event *e, int64_t pid, uint32_t *stack,
                               struct tm_error *err)
{
    uint64_t key = tm_hash_u64((uint64_t)e->file << 32 | e->machine);
    key = tm_hash_u64(tm_hash_u64(key ^ (uint64_t)pid) ^ (uint64_t)e->tid);
    if (tm_map_find(&j->raw_by_key, key, stack))
        return TM_OK;
    if (tm_array_grow(&j->raw_stacks, &j->raw_cap, j->raw_count, sizeof *j->raw_stacks, err) < 0)
        return TM_E_SYSTEM;
    struct tm_json_raw_stack *s = &j->raw_stacks[j->raw_count];
    *s = (struct tm_json_raw_stack){0};
    *stack = ++j->raw_count;
    if (tm_map_set(&j->raw_by_key, key, *stack) < 0 ||
        tm_json_lanes_join(&j->spans.lanes, &s->holder, e->file, e->machine, pid, e->tid) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Applies E to the stack with NUMBER. *END_NS: its end, if known. */
static enum tm_status read_event(struct tm_json_out *j, const struct tm_event *e, uint32_t number, int64_t *end_ns,
                                 struct tm_error *err)
{
    struct tm_json_raw_stack *s = &j->raw_stacks[number];
    tm_slice_label label[2] = {0};
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
        label[0] = label_of(j, e, e->name);
        label[1] = label_of(j, e, e->category);
        if (e->kind == TM_KIND_SLICE_END)
            return tm_json_reading_end(&j->reading, number, e->time_ns, label, err);
        s->awaits = false;
        return tm_json_reading_begin(&j->reading, number, e->time_ns, label, err);
    case TM_KIND_SLICE_COMPLETE:
        if (e->dur_ns > 0 && !(e->flags & TM_EVENT_OPEN_ENDED))
            *end_ns = e->time_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->time_ns + e->dur_ns;
        s->awaits = s->awaits && (e->dur_ns < 0 || e->flags & TM_EVENT_OPEN_ENDED); /* the others are not slices */
        return TM_OK;
    case TM_KIND_INSTANT:
        s->awaits = false;
        return TM_OK;
    default: /* flows bind to the slice around them, or to the next */
        s->awaits |= e->kind == TM_KIND_FLOW_END && e->value != 0;
        return TM_OK;
    }
}

/* The lane of E on the stack with NUMBER. */
static enum tm_status lane_of(struct tm_json_out *j, const struct tm_event *e, uint32_t number, uint32_t *lane,
                              struct tm_error *err)
{
    struct tm_json_lanes *lanes = &j->spans.lanes;
    struct tm_json_raw_stack *s = &j->raw_stacks[number];
    int64_t end_ns = e->time_ns;
    bool is_bound = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END && e->value == 0;
    enum tm_status st = is_bound ? tm_json_lanes_take_bare(lanes, &s->holder)
                                 : tm_json_lanes_take(lanes, &s->holder, e->time_ns);
    if (st < 0)
        return tm_error_nomem(err);
    if ((st = read_event(j, e, number, &end_ns, err)) < 0)
        return st;
    tm_json_lanes_use(lanes, &s->holder, e->kind == TM_KIND_SLICE_END ? INT64_MIN : e->time_ns, end_ns);
    tm_json_lanes_hold(lanes, &s->holder, s->awaits || tm_json_reading_is_open(&j->reading, number));
    *lane = s->holder.lane;
    return TM_OK;
}

/* True for events that belong to a thread's slices: slices; instants, which are slices without length; flows, which
 * bind to slices. */
static bool has_lane(const struct tm_event *e)
{
    if (e->flags & TM_EVENT_ASYNC)
        return false;
    return (e->kind >= TM_KIND_SLICE_BEGIN && e->kind <= TM_KIND_SLICE_COMPLETE) ||
           (e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END) ||
           (e->kind == TM_KIND_INSTANT && tm_event_scope(e->flags) == TM_SCOPE_THREAD);
}

/* Finds the facts of E's process and thread, in the cache or by a look-up. */
static enum tm_status recent_of(struct tm_json_out *j, const struct tm_event *e, struct tm_json_recent **recent,
                                struct tm_error *err)
{
    uint64_t hash = ((uint64_t)e->pid * 31 + (uint64_t)e->tid) * UINT64_C(0x9e3779b97f4a7c15) +
                    e->file * UINT64_C(0x85ebca6b);
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

enum tm_status tm_json_out_where(struct tm_json_out *j, const struct tm_event *e, struct tm_json_destination *where,
                                 struct tm_error *err)
{
    struct tm_json_recent *r;
    uint32_t lane = 0;
    enum tm_status st = recent_of(j, e, &r, err);
    if (st < 0)
        return st;
    *where = (struct tm_json_destination){.pid = r->out_pid};
    if (!j->meets || !has_lane(e))
        return TM_OK;
    if (r->stack == 0 && (st = stack_of(j, e, r->out_pid, &r->stack, err)) < 0)
        return st;
    if ((st = lane_of(j, e, r->stack - 1, &lane, err)) < 0)
        return st;
    where->has_tid = lane != 0;
    return lane ? tm_json_out_tid(j, j->raw_stacks[r->stack - 1].holder.thread - 1, lane, &where->tid, err) : TM_OK;
}

enum tm_status tm_json_out_learn(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum tm_input_type type = j->context->catalog->files[e->file].input_type;
    bool of_json = type == TM_INPUT_JSON;
    enum tm_raw raw = tm_event_raw(e->flags);
    if (of_json && e->kind == TM_KIND_THREAD) /* a merged file defines its lanes before all else */
        tm_json_lanes_avoid(&j->spans.lanes, e->tid);
    if (of_json && j->names_sources && tm_json_out_note_sorted(j, e, err) < 0)
        return err->status;
    return j->meets && of_json && (raw == TM_RAW_JSON || raw == TM_RAW_NONE) ? tm_task_names_learn(&j->said, e, err)
                                                                             : TM_OK;
}

enum tm_status tm_json_out_tid(struct tm_json_out *j, uint32_t thread, uint32_t lane, int64_t *tid,
                               struct tm_error *err)
{
    struct tm_json_thread *t = &j->spans.lanes.threads[thread];
    struct tm_text name;
    *tid = t->lanes[lane].tid;
    if (lane == 0 || t->lanes[lane].is_named)
        return TM_OK;
    t->lanes[lane].is_named = true;
    name = tm_task_names_thread(&j->task_names, t->machine, t->tid);
    if (name.data == NULL)
        name = tm_task_names_thread(&j->said, t->machine, t->tid);
    tm_buf_clear(&j->scratch);
    if (tm_buf_add(&j->scratch, name.data, name.len) < 0 ||
        tm_buf_addf(&j->scratch, "%s(tid %lld, part %u)", name.len ? " " : "", (long long)t->tid, lane + 1) < 0)
        return tm_error_nomem(err);
    return tm_json_out_name(j, t->pid, tid, (struct tm_text){j->scratch.data, j->scratch.len}, err);
}

void tm_json_out_where_release(struct tm_json_out *j)
{
    tm_json_reading_release(&j->reading);
    free(j->raw_stacks);
    tm_map_release(&j->raw_by_key);
    tm_task_names_release(&j->said);
}
