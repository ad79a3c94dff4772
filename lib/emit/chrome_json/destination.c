#include "emit/chrome_json/destination.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

/* The part of one file on one thread. */
struct tm_json_stack {
    struct tm_json_holder holder;
    bool awaits; /* a flow ends at its next slice */
};

static tm_slice_label label_of(const struct tm_json_destinations *d, const struct tm_event *e, uint32_t string)
{
    return tm_slice_label_of(string, tm_json_writer_string(d->threads->metadata->writer, string, e));
}

/* Finds the stack of E's file on E's thread in output process PID. *STACK is its number plus 1. */
static enum tm_status stack_of(struct tm_json_destinations *d, const struct tm_event *e, int64_t pid, uint32_t *stack,
                               struct tm_error *err)
{
    uint64_t key = tm_hash_u64((uint64_t)e->file << 32 | e->machine);
    key = tm_hash_u64(tm_hash_u64(key ^ (uint64_t)pid) ^ (uint64_t)e->tid);
    if (tm_map_find(&d->by_key, key, stack))
        return TM_OK;
    if (tm_array_grow(&d->stacks, &d->stack_cap, d->stack_count, sizeof *d->stacks, err) < 0)
        return TM_E_SYSTEM;
    struct tm_json_stack *s = &d->stacks[d->stack_count];
    const struct tm_json_owner owner = {e->file, e->machine, pid, e->tid};
    *s = (struct tm_json_stack){0};
    *stack = ++d->stack_count;
    if (tm_map_set(&d->by_key, key, *stack) < 0 ||
        tm_json_lanes_join(&d->threads->lanes, &s->holder, &owner) < 0)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Applies E to the stack with NUMBER. Sets *END_NS to the end of E, if it is known. */
static enum tm_status read_event(struct tm_json_destinations *d, const struct tm_event *e, uint32_t number,
                                 int64_t *end_ns, struct tm_error *err)
{
    struct tm_json_stack *s = &d->stacks[number];
    tm_slice_label label[2] = {0};
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
        label[0] = label_of(d, e, e->name);
        label[1] = label_of(d, e, e->category);
        if (e->kind == TM_KIND_SLICE_END)
            return tm_json_reading_end(&d->reading, number, e->time_ns, label, err);
        s->awaits = false;
        if (e->flags & TM_EVENT_NO_LENGTH)
            return TM_OK;
        return tm_json_reading_begin(&d->reading, number, e->time_ns, label, err);
    case TM_KIND_SLICE_COMPLETE:
        if (e->dur_ns > 0 && !(e->flags & TM_EVENT_OPEN_ENDED))
            *end_ns = tm_slice_end_ns(e->time_ns, e->dur_ns);
        s->awaits = s->awaits && (e->dur_ns < 0 || e->flags & TM_EVENT_OPEN_ENDED); /* then it is no slice */
        return TM_OK;
    case TM_KIND_INSTANT: s->awaits = false; return TM_OK;
    default: /* flows bind to the slice around them, or to the next */
        s->awaits |= e->kind == TM_KIND_FLOW_END && e->value != 0;
        return TM_OK;
    }
}

/* Finds the lane of E, an event of the stack with NUMBER, and applies E to the stack. */
static enum tm_status lane_of(struct tm_json_destinations *d, const struct tm_event *e, uint32_t number, uint32_t *lane,
                              struct tm_error *err)
{
    struct tm_json_lanes *lanes = &d->threads->lanes;
    struct tm_json_stack *s = &d->stacks[number];
    int64_t end_ns = e->time_ns;
    bool is_bound = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END && e->value == 0;
    enum tm_status st = is_bound ? tm_json_lanes_take_last(lanes, &s->holder)
                                 : tm_json_lanes_take(lanes, &s->holder, e->time_ns);
    if (st < 0)
        return tm_error_nomem(err);
    if ((st = read_event(d, e, number, &end_ns, err)) < 0)
        return st;
    tm_json_lanes_use(lanes, &s->holder, e->kind == TM_KIND_SLICE_END ? INT64_MIN : e->time_ns, end_ns);
    tm_json_lanes_set_open(lanes, &s->holder, s->awaits || tm_json_reading_is_open(&d->reading, number));
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
static enum tm_status recent_of(struct tm_json_destinations *d, const struct tm_event *e,
                                struct tm_json_recent **recent, struct tm_error *err)
{
    uint64_t hash = ((uint64_t)e->pid * 31 + (uint64_t)e->tid) * UINT64_C(0x9e3779b97f4a7c15) +
                    e->file * UINT64_C(0x85ebca6b);
    struct tm_json_metadata *metadata = d->threads->metadata;
    struct tm_json_recent *r = &d->recent[(hash >> 40 ^ hash) & (TM_JSON_RECENT - 1)];
    const uint32_t changes = metadata->pids->counts->counts[tm_json_pids_count(e->machine, e->pid)];
    enum tm_status st;
    *recent = r;
    if (r->is_valid && r->pid == e->pid && r->tid == e->tid && r->file == e->file && r->machine == e->machine &&
        r->changes == changes)
        return TM_OK;
    *r = (struct tm_json_recent){.pid = e->pid,
                                 .tid = e->tid,
                                 .out_pid = e->pid,
                                 .file = e->file,
                                 .machine = e->machine,
                                 .changes = changes};
    if (!(e->flags & TM_EVENT_HAS_PID))
        return TM_OK;
    if ((st = tm_json_pids_find(metadata->pids, e->machine, e->pid, &r->out_pid, err)) < 0 ||
        (st = tm_json_metadata_label(metadata, e, r->out_pid, err)) < 0)
        return st;
    r->is_valid = true;
    return TM_OK;
}

enum tm_status tm_json_destinations_find(struct tm_json_destinations *d, const struct tm_event *e,
                                         struct tm_json_destination *destination, struct tm_error *err)
{
    struct tm_json_recent *r;
    uint32_t lane = 0;
    enum tm_status st = recent_of(d, e, &r, err);
    if (st < 0)
        return st;
    *destination = (struct tm_json_destination){.pid = r->out_pid};
    if (!d->threads->metadata->inputs->are_several || !has_lane(e))
        return TM_OK;
    if (r->stack == 0 && (st = stack_of(d, e, r->out_pid, &r->stack, err)) < 0)
        return st;
    if ((st = lane_of(d, e, r->stack - 1, &lane, err)) < 0)
        return st;
    destination->has_tid = lane != 0;
    if (lane == 0)
        return TM_OK;
    return tm_json_threads_tid(d->threads, d->stacks[r->stack - 1].holder.thread - 1, lane, &destination->tid, err);
}

void tm_json_destinations_release(struct tm_json_destinations *d)
{
    tm_json_reading_release(&d->reading);
    free(d->stacks);
    tm_map_release(&d->by_key);
}
