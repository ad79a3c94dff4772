/* Scheduling events in bundles: which are written compactly, and which in full. */
#include "emit/perfetto/ftrace_bundle.h"
#include "kernel/sched_state.h"

#include <stdlib.h>

enum { FITS_MIN = 8 /* switches */ };

enum tm_status tm_ftrace_note_kernel(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    uint32_t machines = w->packets->machine_count;
    if (w->kernels == NULL && (w->kernels = calloc((size_t)machines + 1, sizeof *w->kernels)) == NULL)
        return tm_error_nomem(err);
    ProtobufCMessage *m =
        protobuf_c_message_unpack(&tracemerge__detail__descriptor, NULL, e->detail_bytes, e->detail);
    if (m == NULL)
        return tm_error_set(err, TM_E_INPUT, "event %llu: detail bytes are damaged", (unsigned long long)e->position);
    const Tracemerge__MachineDescription *machine = ((Tracemerge__Detail *)m)->machine;
    if (machine && machine->has_release && e->machine < machines)
        w->kernels[e->machine] =
            tm_kernel_version_parse((const char *)machine->release.data, machine->release.len);
    protobuf_c_message_free_unpacked(m, NULL);
    return TM_OK;
}

void tm_ftrace_note_switch(const struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    struct tm_ftrace_running *r = &b->task->running;
    r->is_known = true;
    r->pid = (int32_t)e->pid;
    r->prio = (int16_t)(e->value >> 32);
    r->comm = e->name;
    if (!(e->name & TM_STRING_INLINE))
        return;
    struct tm_text text = tm_catalog_string(w->packets->catalog, e->name, e);
    r->text_len = text.len <= TM_FTRACE_COMM_MAX ? (uint32_t)text.len : TM_FTRACE_COMM_MAX + 1;
    if (r->text_len && r->text_len <= TM_FTRACE_COMM_MAX)
        memcpy(r->text, text.data, r->text_len);
}

/* True if COMM, a string of E, is the name of the running task. */
static bool same_comm(const struct tm_ftrace_writer *w, const struct tm_ftrace_running *r, uint32_t comm,
                      const struct tm_event *e)
{
    if (!((comm | r->comm) & TM_STRING_INLINE))
        return comm == r->comm;
    struct tm_text text = tm_catalog_string(w->packets->catalog, comm, e), running = {r->text, r->text_len};
    if (!(r->comm & TM_STRING_INLINE))
        running = tm_catalog_string(w->packets->catalog, r->comm, e);
    else if (r->text_len > TM_FTRACE_COMM_MAX)
        return false;
    return text.len == running.len && (text.len == 0 || memcmp(text.data, running.data, text.len) == 0);
}

/* True if the running task is the one that E states as the task before it. */
static bool runs_before(const struct tm_ftrace_writer *w, const struct tm_ftrace_running *r, const struct tm_event *e)
{
    return r->is_known && r->pid == e->tid && r->prio == tm_event_prev_priority(e) && same_comm(w, r, e->category, e);
}

/* True if compact_sched can express E: a reader finds the omitted facts in the events before it. The first switch of a
 * cpu may lack the task before it, which only compact_sched can express. */
static bool fits_compact(const struct tm_ftrace_writer *w, const struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    const struct tm_ftrace_running *r = &b->task->running;
    if (e->kind == TM_KIND_SCHED_WAKING &&
        (tm_event_raw(e->flags) != TM_RAW_COMPACT_SCHED || tm_compact_sched_switches_at(&b->sched, e->time_ns)))
        return false; /* in a message wakings precede switches of the same time */
    if (e->kind == TM_KIND_SCHED_WAKING)
        return e->flags & TM_EVENT_HAS_PID ? r->is_known && r->pid == e->pid : !r->is_known;
    if (!(e->flags & TM_EVENT_HAS_PID) || e->flags & TM_EVENT_HAS_TRACK || e->pid != (int32_t)e->pid)
        return false;
    return !(e->flags & TM_EVENT_HAS_TID) || runs_before(w, r, e);
}

/* True if E goes into compact_sched. After switches in full it does so only if it must, or if FITS_MIN switches in a
 * row could have. If two files disagree about a cpu, every other switch fits, and bundles of three switches save
 * nothing. */
static bool is_for_compact(const struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    bool fits = fits_compact(w, b, e);
    bool has_task = e->flags & TM_EVENT_HAS_PID && e->flags & TM_EVENT_HAS_TID;
    if (e->kind == TM_KIND_SCHED_SWITCH)
        b->task->fits = fits ? b->task->fits + 1 : 0;
    return fits && !(b->has_switch && has_task && b->task->fits < FITS_MIN);
}

/* Returns the prev_state of E as the kernel of its machine records it. */
static inline uint64_t kernel_state(const struct tm_ftrace_writer *w, const struct tm_event *e)
{
    if (!(e->value & TM_SCHED_STATE_FLAGS))
        return (e->value & INT32_MAX) | (e->flags & TM_EVENT_HAS_TRACK ? 0 : e->track << 31);
    uint32_t version = w->kernels && e->machine < w->packets->machine_count ? w->kernels[e->machine] : 0;
    return tm_sched_state_encode((uint32_t)e->value, version);
}

enum tm_status tm_ftrace_put_sched(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e,
                                   struct tm_error *err)
{
    bool is_switch = e->kind == TM_KIND_SCHED_SWITCH;
    enum tm_status st = tm_ftrace_bundle_has_room(b) ? TM_OK : tm_ftrace_bundle_write(w, b, err);
    if (st < 0)
        return st;
    bool compact = is_for_compact(w, b, e);
    if (compact ? b->has_switch : is_switch && !tm_compact_sched_is_empty(&b->sched))
        /* one bundle after the other, since readers do not sort the events of a bundle */
        st = tm_ftrace_bundle_write(w, b, err);
    if (st < 0)
        return st;
    if (compact) {
        st = is_switch ? tm_compact_sched_switch(&b->sched, e, kernel_state(w, e), w->packets->catalog, err)
                       : tm_compact_sched_waking(&b->sched, e, w->packets->catalog, err);
    } else if (tm_sched_event_put(&b->events, w->packets->catalog, e, is_switch ? kernel_state(w, e) : 0) != TM_OK) {
        st = tm_error_nomem(err);
    }
    b->has_switch |= is_switch && !compact;
    if (is_switch)
        tm_ftrace_note_switch(w, b, e);
    return st;
}

bool tm_ftrace_is_next(const struct tm_ftrace_writer *w, const struct tm_ftrace_bundle *b, const struct tm_event *e)
{
    return e->flags & TM_EVENT_HAS_TID ? runs_before(w, &b->task->running, e) : !b->task->running.is_known;
}
