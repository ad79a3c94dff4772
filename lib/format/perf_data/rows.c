#include "format/perf_data/internal.h"

#include "base/pb.h"
#include "kernel/sched_state.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <inttypes.h>

enum { MISC_SWITCH_OUT = 1 << 13, MISC_PREEMPTED = 1 << 14, AUX_CUT = 1 };
enum { RECORD_HEADER_EVENT_TYPE = 65 };

static enum tm_status add(struct tm_perf *p, struct tm_event *e, struct tm_error *err)
{
    e->detail = p->detail.data;
    e->detail_bytes = (uint32_t)p->detail.len;
    return tm_event_sink_add(p->context.sink, e, err);
}

static enum tm_status put_string(struct tm_perf *p, struct tm_text s, uint32_t *string, struct tm_error *err)
{
    return tm_event_sink_string(p->context.sink, s, &p->detail, string, err);
}

static uint32_t thread_flags(const struct tm_perf_sample *s)
{
    return (s->has_thread ? TM_EVENT_HAS_TID : 0u) |
           (s->has_thread && (s->pid >= 0 || s->tid < 0) ? TM_EVENT_HAS_PID : 0u) |
           (s->has_cpu ? TM_EVENT_HAS_CPU : 0u);
}

/* An event of ATTR that RECORD states. */
struct sampled_event {
    const struct tm_perf_record *record;
    const struct tm_perf_attr *attr;
    const struct tm_perf_sample *sample;
};

/* Adds the sample, or, if DERIVED, the stack of the row before it. */
static enum tm_status add_sample(struct tm_perf *p, const struct sampled_event *event, bool derived,
                                 struct tm_error *err)
{
    const struct tm_perf_record *record = event->record;
    const struct tm_perf_sample *s = event->sample;
    char room[TM_PERF_NAME_ROOM];
    struct tm_event e = {.kind = TM_KIND_SAMPLE, .time_ns = (int64_t)s->time, .tid = (uint32_t)s->tid,
                         .pid = (uint32_t)s->pid, .cpu = s->cpu, .value = s->period};
    e.flags = tm_event_scope_flags(s->has_thread ? TM_SCOPE_THREAD : TM_SCOPE_GLOBAL) | thread_flags(s) |
              (derived ? TM_EVENT_DERIVED : 0u) | (s->has_period ? TM_EVENT_HAS_VALUE : 0u);
    tm_buf_clear(&p->detail);
    enum tm_status st = put_string(p, tm_perf_attrs_name_of(&p->attrs, event->attr, room), &e.name, err);
    if (st == TM_OK && record->misc & TM_PERF_MODE_MASK &&
        tm_pb_put_varint(&p->detail, TM_DETAIL_CPU_MODE, record->misc & TM_PERF_MODE_MASK) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK)
        st = tm_perf_put_stack(p, s, record->misc, err);
    if (st == TM_OK && p->frame_count == 0) {
        if (!derived)
            tm_perf_count(&p->no_stack, record->byte);
        return TM_OK;
    }
    return st < 0 ? st : add(p, &e, err);
}

/* Returns the fields of the line of ftrace text for EVENT. */
static struct tm_systrace_line line_of(struct tm_text comm, const struct tm_perf_sample *s, struct tm_text event)
{
    return (struct tm_systrace_line){.task = tm_text_chars(comm), .task_len = comm.len,
                                     .event = tm_text_chars(event), .event_len = event.len,
                                     .time_ns = (int64_t)s->time, .pid = (uint32_t)s->tid, .tgid = (uint32_t)s->pid,
                                     .has_tgid = s->pid >= 0, .cpu = s->cpu};
}

static enum tm_status begin_line(struct tm_perf *p, struct tm_text comm, const struct tm_perf_sample *s,
                                 struct tm_text event)
{
    struct tm_systrace_line line = line_of(comm, s, event);
    return tm_ftrace_text_begin(&line, &p->line);
}

/* Adds a tracepoint and its stack. The stack may be a single address in the kernel. */
static enum tm_status add_tracepoint(struct tm_perf *p, const struct sampled_event *event, struct tm_error *err)
{
    const struct tm_perf_sample *s = event->sample;
    static const char unknown[] = "<...>";
    const struct tm_tracepoint *point = event->attr->tracepoint;
    struct tm_text comm = tm_perf_task_names_find(&p->names, s->tid, s->time);
    if (comm.len == 0)
        comm = tm_text_at(unknown, sizeof unknown - 1);
    struct tm_systrace_line line = line_of(comm, s, point->name);
    if (tm_ftrace_text_begin(&line, &p->line) != TM_OK)
        return tm_error_nomem(err);
    size_t args = p->line.len;
    const struct tm_tracepoint_event recorded = {point, s->raw, s->raw_len, p->kernel_version};
    enum tm_status st = tm_tracepoints_put(&p->tracepoints, &recorded, &p->line);
    if (st < 0)
        return tm_error_nomem(err);
    p->tracepoints_cut += st == TM_END;
    st = tm_ftrace_text_add_made(&p->ftrace, &line, &p->line, args, err);
    return st < 0 ? st : add_sample(p, event, true, err);
}

static bool is_tracepoint(const struct tm_perf_attr *attr, const struct tm_perf_sample *s)
{
    return attr->tracepoint && s->raw && s->has_thread && s->has_cpu;
}

static enum tm_status add_event(struct tm_perf *p, const struct sampled_event *event, struct tm_error *err)
{
    if (is_tracepoint(event->attr, event->sample))
        return add_tracepoint(p, event, err);
    return add_sample(p, event, false, err);
}

/* Sets the period of S to what COUNT, of the event ATTR, has counted since the sample before. */
static enum tm_status find_period(struct tm_perf *p, struct tm_perf_count count, const struct tm_perf_attr *attr,
                                  struct tm_perf_sample *s, struct tm_error *err)
{
    s->has_period = true;
    return tm_perf_last_counts_since(&p->last_counts, count, attr->inherits && s->has_thread ? s->tid : -1, &s->period,
                                     err);
}

/* Adds a sample with counts: an event for each count that has grown. OWN, the record's own event, is also added without
 * growth if it is a tracepoint. Each event after the first counts as expansion of the record, which is limited. */
static enum tm_status add_counted(struct tm_perf *p, const struct tm_perf_record *record,
                                  const struct tm_perf_attr *own, struct tm_perf_sample *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    uint32_t added = 0, unknown = 0;
    const uint8_t *raw = s->raw;
    for (uint32_t i = 0; i < s->counts.len && st == TM_OK; i++) {
        struct tm_perf_count count = tm_perf_counts_get(&s->counts, i);
        const struct tm_perf_attr *attr = tm_perf_attrs_find(&p->attrs, count.id);
        if (attr == NULL) {
            unknown++;
            continue;
        }
        s->raw = attr == own ? raw : NULL; /* belongs to the record's own event */
        st = find_period(p, count, attr, s, err);
        if (st < 0 || (s->period == 0 && !is_tracepoint(attr, s)))
            continue;
        if (added++ > 0 && p->context.expansion)
            st = tm_expansion_add(p->context.expansion, (uint64_t)(record->body.end - record->body.p), err);
        if (st == TM_OK)
            st = add_event(p, &(struct sampled_event){record, attr, s}, err);
    }
    if (unknown > 0)
        tm_perf_count(&p->needs_state, record->byte);
    else if (added == 0)
        tm_perf_count(&p->not_shown, record->byte);
    return st;
}

/* Finds the thread of S if it has ended: a tracepoint states it. So its last switch is still its own. */
static void find_ended(const struct tm_perf *p, const struct tm_perf_attr *attr, struct tm_perf_sample *s)
{
    const struct tm_tracepoint_event recorded = {attr->tracepoint, s->raw, s->raw_len, p->kernel_version};
    if (s->has_thread && s->tid < 0 && attr->tracepoint && s->raw)
        s->tid = tm_tracepoints_tid(&p->tracepoints, &recorded);
}

static enum tm_status on_sample(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_sample s;
    const struct tm_perf_attr *attr = tm_perf_attrs_of(&p->attrs, &record->body, true);
    if (attr == NULL) {
        tm_perf_count(&p->needs_state, record->byte);
        return TM_OK;
    }
    if (!tm_perf_sample_read(attr, record->body, &s))
        return TM_END;
    if (!s.has_time) {
        tm_perf_count(&p->no_time, record->byte);
        return TM_OK;
    }
    find_ended(p, attr, &s);
    p->user_stacks += s.has_user_stack;
    bool is_counted = s.counts.len > 0 && !attr->is_backward; /* a backward buffer has newer samples first */
    return is_counted ? add_counted(p, record, attr, &s, err)
                      : add_event(p, &(struct sampled_event){record, attr, &s}, err);
}

/* Adds the definition E of a process, with the name of its main thread. */
static enum tm_status add_process(struct tm_perf *p, struct tm_event e, const struct tm_perf_comm *comm,
                                  struct tm_error *err)
{
    e.kind = TM_KIND_PROCESS;
    e.pid = comm->pid;
    e.flags |= TM_EVENT_HAS_PID;
    tm_buf_clear(&p->detail);
    if (tm_task_description_put(&p->detail, &e, tm_text_given(comm->name.data, comm->name.len)) != TM_OK)
        return tm_error_nomem(err);
    return add(p, &e, err);
}

/* Defines a thread that existed before the recording. */
static enum tm_status define_thread(struct tm_perf *p, const struct tm_perf_comm *comm, struct tm_error *err)
{
    struct tm_event e = {.kind = TM_KIND_THREAD, .tid = comm->tid, .pid = comm->pid,
                         .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_PID | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION};
    tm_buf_clear(&p->detail);
    if (tm_task_description_put(&p->detail, &e, tm_text_given(comm->name.data, comm->name.len)) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = add(p, &e, err);
    const struct tm_event process = {.flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION};
    return st < 0 || comm->tid != comm->pid ? st : add_process(p, process, comm, err);
}

/* Adds E with p->line, the line that ftrace would print, as its raw payload. Then adds the thread's process, unless PID
 * is negative. Kind, value, tid and cpu of E are set. */
static enum tm_status add_task(struct tm_perf *p, struct tm_event *e, struct tm_text name, int64_t pid,
                               struct tm_error *err)
{
    e->flags |= TM_EVENT_HAS_TID | tm_event_raw_flags(TM_RAW_LINE);
    e->raw = p->line.data;
    e->raw_bytes = (uint32_t)p->line.len;
    tm_buf_clear(&p->detail);
    enum tm_status st = put_string(p, name, &e->name, err);
    if (st == TM_OK)
        st = add(p, e, err);
    if (st < 0 || pid < 0)
        return st;
    struct tm_event again = {.kind = TM_KIND_TASK_RENAME, .time_ns = e->time_ns, .tid = e->tid, .pid = pid,
                             .flags = TM_EVENT_HAS_TID | TM_EVENT_HAS_PID | TM_EVENT_DERIVED};
    tm_buf_clear(&p->detail);
    st = put_string(p, name, &again.name, err);
    return st < 0 ? st : add(p, &again, err);
}

/* Adds the name of a thread. If it comes from before the recording and never changes, it is a definition, otherwise a
 * renaming. */
static enum tm_status on_comm(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    static const char event[] = "task_rename";
    struct tm_perf_comm comm;
    if (!tm_perf_comm_read(p, record, &comm))
        return TM_END;
    if (comm.tid <= 0)
        return TM_OK; /* the idle thread */
    if (!comm.at.has_time || comm.at.time == 0) {
        struct tm_text last = tm_perf_task_names_find(&p->names, comm.tid, UINT64_MAX);
        if (last.len == comm.name.len && memcmp(last.data, comm.name.data, last.len) == 0)
            return define_thread(p, &comm, err);
        comm.at.time = p->first_time <= INT64_MAX ? p->first_time : 0;
    }
    struct tm_text before = tm_perf_task_names_find(&p->names, comm.tid, comm.at.time ? comm.at.time - 1 : 0);
    if (begin_line(p, before, &comm.at, tm_text_at(event, sizeof event - 1)) != TM_OK ||
        tm_buf_addf(&p->line, "pid=%" PRId32 " oldcomm=%.*s newcomm=%.*s", comm.tid, (int)before.len,
                    tm_text_chars(before), (int)comm.name.len, tm_text_chars(comm.name)) != TM_OK)
        return tm_error_nomem(err);
    struct tm_event e = {.kind = TM_KIND_TASK_RENAME, .time_ns = (int64_t)comm.at.time, .tid = comm.tid,
                         .cpu = comm.at.cpu, .flags = comm.at.has_cpu ? TM_EVENT_HAS_CPU : 0u};
    enum tm_status st = add_task(p, &e, comm.name, comm.pid, err);
    if (st < 0 || comm.tid != comm.pid || before.len > 0)
        return st;
    /* No row before this one names the process. Its name is that of its main thread. */
    const struct tm_event process = {.time_ns = e.time_ns, .flags = TM_EVENT_DERIVED};
    return add_process(p, process, &comm, err);
}

static enum tm_status on_fork(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    static const char event[] = "task_newtask";
    struct tm_perf_fork fork;
    if (!tm_perf_fork_read(p, record, &fork) || fork.time > INT64_MAX)
        return TM_END;
    if (fork.time == 0 || fork.tid <= 0 || p->has_new_tasks)
        return TM_OK; /* it existed before the recording, or a tracepoint stated it */
    unsigned flags = fork.pid == fork.maker_pid ? TM_CLONE_THREAD : 0;
    struct tm_text name = tm_perf_task_names_find(&p->names, fork.maker_tid, fork.time);
    struct tm_perf_sample at = {.tid = fork.maker_tid, .time = fork.time, .cpu = fork.at.cpu};
    if (begin_line(p, name, &at, tm_text_at(event, sizeof event - 1)) != TM_OK ||
        tm_buf_addf(&p->line, "pid=%" PRId32 " comm=%.*s clone_flags=%x", fork.tid, (int)name.len, tm_text_chars(name),
                    flags) != TM_OK)
        return tm_error_nomem(err);
    struct tm_event e = {.kind = TM_KIND_TASK_NEW, .time_ns = (int64_t)fork.time, .tid = fork.tid,
                         .pid = fork.maker_tid, .cpu = fork.at.cpu, .value = flags,
                         .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE | (fork.at.has_cpu ? TM_EVENT_HAS_CPU : 0u)};
    return add_task(p, &e, name, -1, err);
}

static struct tm_text name_of(const struct tm_perf *p, int64_t tid, uint64_t time)
{
    static const char idle[] = "swapper";
    return tid == 0 ? tm_text_at(idle, sizeof idle - 1) : tm_perf_task_names_find(&p->names, tid, time);
}

static const uint32_t unknown_state = TM_SCHED_STATE_FLAGS | TM_SCHED_STATE_UNKNOWN;

/* Returns the state of a thread that leaves its CPU. A thread that was not preempted sleeps; the kind of sleep is not
 * recorded. */
static uint32_t state_of(const struct tm_perf_record *record)
{
    return TM_SCHED_STATE_FLAGS | (record->misc & MISC_PREEMPTED ? (uint32_t)TM_SCHED_STATE_PREEMPTED
                                                                 : (uint32_t)TM_SCHED_STATE_SLEEPING);
}

/* Adds a switch. Either the thread of S leaves its CPU and OTHER (negative: unknown) follows it, or the thread of S
 * starts and the record of the thread before it is missing. A CPU counts as idle between the recorded threads. */
static enum tm_status add_switch(struct tm_perf *p, const struct tm_perf_record *record, const struct tm_perf_sample *s,
                                 int64_t other, struct tm_error *err)
{
    bool is_out = record->misc & MISC_SWITCH_OUT;
    uint32_t running = 0;
    if (!is_out && (!tm_map_find(&p->next_of_cpu, s->cpu, &running) || running == UINT32_MAX))
        running = 0;
    int64_t prev = is_out ? s->tid : (int64_t)running, next = is_out ? other : s->tid;
    uint64_t state = is_out ? state_of(record) : prev == 0 ? TM_SCHED_STATE_FLAGS : unknown_state;
    struct tm_event e = {.kind = TM_KIND_SCHED_SWITCH, .time_ns = (int64_t)s->time, .cpu = s->cpu,
                         .tid = prev, .pid = next < 0 ? 0 : next, .value = state};
    e.flags = TM_EVENT_HAS_CPU | TM_EVENT_HAS_VALUE | TM_EVENT_HAS_TID | (next >= 0 ? TM_EVENT_HAS_PID : 0u);
    tm_buf_clear(&p->detail);
    enum tm_status st = TM_OK;
    struct tm_text next_name = name_of(p, next, s->time), prev_name = name_of(p, prev, s->time);
    if (next >= 0 && next_name.len)
        st = put_string(p, next_name, &e.name, err);
    if (st == TM_OK && prev_name.len)
        st = put_string(p, prev_name, &e.category, err);
    if (st == TM_OK && tm_map_set(&p->next_of_cpu, s->cpu, next < 0 ? UINT32_MAX : (uint32_t)next) != TM_OK)
        st = tm_error_nomem(err);
    return st < 0 ? st : add(p, &e, err);
}

static enum tm_status on_switch(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    struct tm_perf_cursor c = record->body;
    struct tm_perf_sample s;
    int64_t other = -1;
    uint32_t running;
    if (!tm_perf_sample_read_end(tm_perf_attrs_of(&p->attrs, &c, false), &c, &s))
        return TM_END;
    if (record->type == TM_PERF_RECORD_SWITCH_CPU_WIDE) {
        (void)tm_perf_u32(&c);
        other = (int32_t)tm_perf_u32(&c);
        if (c.failed)
            return TM_END;
    }
    if (p->has_switches || !s.has_cpu || s.tid < 0 || !s.has_time) {
        tm_perf_count(&p->not_shown, record->byte);
        return TM_OK;
    }
    if (s.cpu >= TM_FORMAT_CPU_MAX)
        return TM_END;
    bool is_in = !(record->misc & MISC_SWITCH_OUT);
    if (is_in && tm_map_find(&p->next_of_cpu, s.cpu, &running) && running == (uint32_t)s.tid)
        return TM_OK; /* the record of the leaving thread named this one */
    return add_switch(p, record, &s, other, err);
}

/* Counts lost events. LOST has an id and a count, LOST_SAMPLES a count. */
static void on_lost(struct tm_perf *p, const struct tm_perf_record *record)
{
    struct tm_perf_cursor c = record->body;
    if (record->type == TM_PERF_RECORD_LOST)
        (void)tm_perf_u64(&c);
    uint64_t lost = tm_perf_u64(&c);
    p->lost = lost > INT64_MAX - p->lost ? INT64_MAX : p->lost + lost;
}

/* Counts AUX (offset, size, flags), a part of a CPU's own trace, and whether it is truncated. */
static void on_aux(struct tm_perf *p, const struct tm_perf_record *record)
{
    struct tm_perf_cursor c = record->body;
    (void)tm_perf_take(&c, 16);
    p->aux_cut += tm_perf_u64(&c) & AUX_CUT;
    tm_perf_count(&p->not_shown, record->byte);
}

/* True for records whose facts are known already or not needed. */
static bool is_state(uint32_t type)
{
    switch (type) {
    case TM_PERF_RECORD_EXIT: /* the thread runs until its last switch, which this record does not state */
    case TM_PERF_RECORD_MMAP:
    case TM_PERF_RECORD_MMAP2:
    case TM_PERF_RECORD_KSYMBOL:
    case TM_PERF_RECORD_ATTR:
    case RECORD_HEADER_EVENT_TYPE:
    case TM_PERF_RECORD_TRACING_DATA:
    case TM_PERF_RECORD_BUILD_ID:
    case TM_PERF_RECORD_FINISHED_ROUND:
    case TM_PERF_RECORD_ID_INDEX:
    case TM_PERF_RECORD_AUXTRACE_INFO:
    case TM_PERF_RECORD_THREAD_MAP:
    case TM_PERF_RECORD_CPU_MAP:
    case TM_PERF_RECORD_EVENT_UPDATE:
    case TM_PERF_RECORD_TIME_CONV:
    case TM_PERF_RECORD_FEATURE:
    case TM_PERF_RECORD_FINISHED_INIT:
        return true;
    case TM_PERF_RECORD_SIMPLEPERF_SPLIT:
    case TM_PERF_RECORD_SIMPLEPERF_SPLIT_END:
    case TM_PERF_RECORD_SIMPLEPERF_CALLCHAIN:
    case TM_PERF_RECORD_SIMPLEPERF_UNWINDING:
        return false;
    default:
        return type >= TM_PERF_RECORD_SIMPLEPERF; /* symbols, files and ids of events */
    }
}

enum tm_status tm_perf_add_record(struct tm_perf *p, const struct tm_perf_record *record, struct tm_error *err)
{
    switch (record->type) {
    case TM_PERF_RECORD_SAMPLE:
        return on_sample(p, record, err);
    case TM_PERF_RECORD_COMM:
        return on_comm(p, record, err);
    case TM_PERF_RECORD_FORK:
        return on_fork(p, record, err);
    case TM_PERF_RECORD_SWITCH:
    case TM_PERF_RECORD_SWITCH_CPU_WIDE:
        return on_switch(p, record, err);
    case TM_PERF_RECORD_LOST:
    case TM_PERF_RECORD_LOST_SAMPLES:
        on_lost(p, record);
        return TM_OK;
    case TM_PERF_RECORD_AUX:
        on_aux(p, record);
        return TM_OK;
    case TM_PERF_RECORD_AUXTRACE:
        p->aux_bytes += record->trailing;
        break;
    default:
        break;
    }
    if (!is_state(record->type))
        tm_perf_count(&p->not_shown, record->byte);
    return TM_OK;
}
