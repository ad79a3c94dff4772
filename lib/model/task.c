#include "model/internal.h"

#include "kernel/sched_state.h"
#include "stream/detail_fields.h"

/* A task as a scheduling event names it. */
struct task {
    int64_t tid;
    struct tm_text name; /* data NULL: none */
    uint32_t string;     /* the column that has the name */
};

/* Gives thread UTID the name of TASK, if it has one. */
static enum tm_status name_task(struct tm_model_tasks *tasks, const struct tm_model_event *ev, const struct task *task,
                                int64_t utid, struct tm_error *err)
{
    if (task->name.data == NULL)
        return TM_OK;
    if (ev->is_perf_script)
        return tm_processes_name_thread(&tasks->processes, utid, task->name, TM_THREAD_NAME_OTHER, err);
    return tm_processes_name_task(&tasks->processes, utid, task->name, tm_model_string_number(task->string), err);
}

/* Sets *UTID to the thread of TASK and gives it the name. */
static enum tm_status find_task(struct tm_model_tasks *tasks, struct tm_model_event *ev, const struct task *task,
                                int64_t *utid, struct tm_error *err)
{
    enum tm_status st = tm_model_task_of(tasks, ev, task->tid, utid, err);
    return st < 0 ? st : name_task(tasks, ev, task, *utid, err);
}

static struct tm_thread_at at(const struct tm_model_event *ev, int64_t utid)
{
    return (struct tm_thread_at){.file = ev->place.file,
                                 .utid = (uint32_t)utid,
                                 .ts = ev->e->time_ns,
                                 .is_zircon = ev->is_of_zircon,
                                 .ucpu = tm_ucpu(ev->place.machine, ev->e->cpu)};
}

/* Idle tasks have no states. */
static bool has_states(const struct tm_model_tasks *tasks, int64_t utid)
{
    return !tasks->processes.threads[utid].is_stateless;
}

/* Wakings in compact_sched state the flags of trace events (include/linux/trace_events.h of Linux). */
static int64_t irq_context_of(const struct tm_event *e)
{
    enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10 };
    if (tm_event_raw(e->flags) != TM_RAW_COMPACT_SCHED)
        return TM_NO_ID;
    return (e->track & (FLAG_HARDIRQ | FLAG_SOFTIRQ)) != 0;
}

/* Counts an event of compact_sched before the first switch of its CPU. It does not state which task ran. */
static enum tm_status count_skipped(struct tm_model_output *out, const struct tm_model_event *ev,
                                    enum tm_model_stat stat, struct tm_error *err)
{
    return tm_event_raw(ev->e->flags) == TM_RAW_COMPACT_SCHED ? tm_model_count(out, ev->place, stat, err) : TM_OK;
}

/* Sets *UTID to the thread that ran on the cpu before, if the event is of compact_sched. Such an event does not state
 * it: it is the one of the switch before in order of time, and the row has the one of the switch before in the file.
 * TM_NO_ID: the event is another one, or no switch came before. */
static enum tm_status ran_before(struct tm_model_tasks *tasks, const struct tm_model_event *ev, int64_t *utid,
                                 struct tm_error *err)
{
    const struct tm_sched_switch s = {.file = ev->place.file, .machine = ev->place.machine, .cpu = ev->e->cpu};
    *utid = TM_NO_ID;
    if (tm_event_raw(ev->e->flags) != TM_RAW_COMPACT_SCHED || s.cpu >= TM_CPUS_A_MACHINE)
        return TM_OK;
    return tm_sched_running(&tasks->sched, &s, utid, err);
}

static enum tm_status sched_switch(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                                   struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    const struct task next_task = {e->pid, ev->name, e->name};
    /* compact_sched states no name of the task that ran before: the one in the row is that of an earlier switch. */
    const struct task prev_task = {
        e->tid, tm_event_raw(e->flags) == TM_RAW_COMPACT_SCHED ? (struct tm_text){0} : ev->category, e->category};
    struct tm_sched_switch s = {.file = ev->place.file,
                                .machine = ev->place.machine,
                                .cpu = e->cpu,
                                .ts = e->time_ns,
                                .has_prev = e->flags & TM_EVENT_HAS_TID,
                                .prev_tid = e->tid,
                                .next_tid = e->pid,
                                .has_next = e->flags & TM_EVENT_HAS_PID,
                                .next_prio = tm_event_next_priority(e),
                                .end_state = tm_sched_state_known_text(
                                    &tasks->state_texts, (uint32_t)e->value,
                                    tasks->machines[ev->place.machine].kernel_version)};
    int64_t next = 0, prev;
    bool matches;
    enum tm_status st = ran_before(tasks, ev, &prev, err);
    if (st == TM_OK && s.has_next)
        st = find_task(tasks, ev, &next_task, &next, err);
    if (st < 0 || e->cpu >= TM_CPUS_A_MACHINE)
        return st;
    if (prev == TM_NO_ID && tm_model_lacks_task(e))
        return count_skipped(out, ev, TM_MODEL_SWITCH_SKIPPED, err);
    s.next_utid = (uint32_t)next;
    if (tm_text_is(s.end_state, "?")) {
        s.end_state.data = NULL;
        /* Text that names no state is counted nowhere: the reference importer takes it for a mask with all bits. */
        bool is_text = e->value & TM_SCHED_STATE_FLAGS && !(e->value & TM_SCHED_STATE_WINDOWS);
        if (!is_text && (st = tm_model_count(out, ev->place, TM_MODEL_TASK_STATE_INVALID, err)) < 0)
            return st;
    }
    if (prev != TM_NO_ID)
        s.has_prev = false; /* whatever runs ends */
    else if (s.has_prev && (st = find_task(tasks, ev, &prev_task, &prev, err)) < 0)
        return st;
    if (out->options.tasks_only || ev->is_record)
        return TM_OK;
    if ((st = tm_sched_switch(&tasks->sched, &s, &matches, err)) < 0)
        return st;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    if (prev != TM_NO_ID && has_states(tasks, prev))
        st = tm_thread_states_off(&tasks->thread_states, at(ev, prev), s.end_state, err);
    if (st == TM_OK && s.has_next && has_states(tasks, next))
        st = tm_thread_states_run(&tasks->thread_states, at(ev, next), tm_ucpu(s.machine, s.cpu), err);
    return st < 0 || matches ? st : tm_model_count(out, ev->place, TM_MODEL_SCHED_MISMATCH, err);
}

enum tm_status tm_model_sched(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                              struct tm_error *err)
{
    int64_t utid, waker;
    if (ev->e->kind == TM_KIND_SCHED_SWITCH)
        return sched_switch(tasks, out, ev, err);
    enum tm_status st = ran_before(tasks, ev, &waker, err);
    if (st < 0)
        return st;
    if (waker == TM_NO_ID && tm_model_lacks_task(ev->e))
        return count_skipped(out, ev, TM_MODEL_WAKING_SKIPPED, err);
    if (ev->is_record)
        return TM_OK;
    /* The reference importer takes no names from wakings in compact_sched. */
    struct tm_text name = tm_event_raw(ev->e->flags) == TM_RAW_COMPACT_SCHED ? (struct tm_text){0} : ev->name;
    const struct task woken = {ev->e->tid, name, ev->e->name};
    if (waker == TM_NO_ID)
        st = tm_model_task_of(tasks, ev, ev->e->pid, &waker, err);
    if (st < 0)
        return st;
    st = find_task(tasks, ev, &woken, &utid, err);
    if (st < 0)
        return st;
    const struct tm_thread_waking waking = {at(ev, utid), (uint32_t)waker, irq_context_of(ev->e)};
    bool opened = false;
    if (!out->options.tasks_only && has_states(tasks, utid))
        st = tm_thread_states_wake(&tasks->thread_states, &waking, &opened, err);
    if (opened)
        tm_row_bounds_add(&out->bounds, ev->e->time_ns);
    return st;
}

static enum tm_status task_new(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                               struct tm_error *err)
{
    struct tm_processes *p = &tasks->processes;
    const struct tm_event *e = ev->e;
    uint32_t machine = ev->place.machine;
    const struct tm_task_start start = {machine, e->tid, &e->time_ns};
    int64_t maker, made, upid;
    enum tm_status st;
    if (e->tid == 0) /* idle tasks are announced at boot, too */
        return TM_OK;
    if (tm_event_makes_thread(e)) {
        if ((st = tm_processes_thread(p, machine, e->pid, &maker, err)) < 0 ||
            (st = tm_processes_start_thread(p, start, &made, err)) < 0 ||
            (st = tm_processes_name_thread(p, made, ev->name, TM_THREAD_NAME_SCHED, err)) < 0 ||
            (st = tm_processes_join(p, maker, made, err)) < 0)
            return st;
    } else {
        if ((st = tm_processes_start_process(p, start, &upid, err)) < 0 ||
            (st = tm_processes_name_process(p, upid, ev->name, TM_PROCESS_NAME_SYSTEM, err)) < 0 ||
            (st = tm_processes_thread(p, machine, e->tid, &made, err)) < 0 ||
            (st = tm_processes_name_thread(p, made, ev->name, TM_THREAD_NAME_SCHED, err)) < 0 ||
            (st = tm_processes_thread(p, machine, e->pid, &maker, err)) < 0)
            return st;
        tm_processes_set_parent(p, upid, maker);
    }
    if (out->options.tasks_only)
        return TM_OK;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    return tm_thread_states_new(&tasks->thread_states, at(ev, made), (uint32_t)maker, err);
}

static enum tm_status task_rename(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_processes *p = &tasks->processes;
    const struct tm_event *e = ev->e;
    int64_t utid;
    const struct task renamed = {e->tid, ev->name, e->name};
    enum tm_status st = find_task(tasks, ev, &renamed, &utid, err);
    if (st < 0)
        return st;
    if (e->flags & TM_EVENT_DERIVED) {
        if (!(e->flags & TM_EVENT_HAS_PID))
            return TM_OK;
        const int64_t named = utid;
        st = tm_processes_thread_in(p, tm_thread_id_of(e), &utid, err);
        /* The tid was that of another process's thread, so the thread of this line is another one. */
        return st < 0 || utid == named ? st : name_task(tasks, ev, &renamed, utid, err);
    }
    const struct tm_thread_row *t = &p->threads[utid];
    if (t->upid == TM_NO_ID || p->processes[t->upid].pid != t->tid)
        return TM_OK;
    return tm_processes_name_process(p, t->upid, ev->name, TM_PROCESS_NAME_SYSTEM, err);
}

/* Applies the reason for which task E->tid waits. */
static enum tm_status blocked_reason(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_error *err)
{
    int64_t utid;
    enum tm_status st = tm_processes_thread(&tasks->processes, ev->place.machine, ev->e->tid, &utid, err);
    return st < 0 ? st
                  : tm_thread_states_reason(&tasks->thread_states, at(ev, utid), (int64_t)ev->e->value, ev->name, err);
}

/* Adds a state that an event states with its duration. A running state is a row of sched as well. */
static enum tm_status thread_state(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                                   struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_thread_state_row row = {.ts = e->time_ns,
                                      .dur = e->dur_ns,
                                      .state = ev->name,
                                      .ucpu = TM_NO_ID,
                                      .waker_utid = TM_NO_ID,
                                      .waker_id = TM_NO_ID,
                                      .irq_context = TM_NO_ID,
                                      .io_wait = e->flags & TM_EVENT_HAS_VALUE ? (int64_t)e->value : TM_NO_ID,
                                      .blocked_function = ev->category};
    enum tm_status st = tm_model_thread(tasks, ev, err);
    if (st < 0)
        return st;
    row.utid = (uint32_t)ev->utid;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    if (e->dur_ns > 0 && e->time_ns <= INT64_MAX - e->dur_ns)
        tm_row_bounds_add(&out->bounds, e->time_ns + e->dur_ns);
    bool runs = e->flags & TM_EVENT_HAS_CPU && e->cpu < TM_CPUS_A_MACHINE && tm_text_is(row.state, "Running");
    struct tm_sched_row slice = {
        .ts = row.ts, .dur = row.dur, .ucpu = tm_ucpu(ev->place.machine, e->cpu), .utid = row.utid};
    if (runs) {
        row.ucpu = slice.ucpu;
        st = tm_sched_add(&tasks->sched, &slice, err);
    }
    return st < 0 ? st : tm_thread_states_add(&tasks->thread_states, &row, err);
}

/* Sets *UTID to the thread of a task that is in STATE. TM_END: STATE contradicts earlier events. The caller counts
 * it. */
static enum tm_status stated_task(struct tm_model_tasks *tasks, const struct tm_model_event *ev,
                                  enum tm_task_state state, int64_t *utid, struct tm_error *err)
{
    struct tm_processes *p = &tasks->processes;
    const uint32_t machine = ev->place.machine;
    const struct tm_event *e = ev->e;
    enum tm_status st = TM_OK;
    *utid = tm_processes_find_thread(p, machine, e->tid);
    bool is_known = *utid != TM_NO_ID, contradicts = state == TM_TASK_CREATED && is_known;
    if (is_known && state != TM_TASK_DESTROYED && state != TM_TASK_CREATED) {
        enum tm_task_state last = tm_task_states_last(&tasks->task_states, ev->place.file, (uint32_t)*utid);
        contradicts = last == TM_TASK_DEAD || (last == TM_TASK_RUNNING && state == TM_TASK_RUNNING);
    }
    if (contradicts)
        return TM_END;
    if (state == TM_TASK_CREATED)
        st = tm_processes_start_thread(p, (struct tm_task_start){machine, e->tid, &e->time_ns}, utid, err);
    else if (!is_known)
        st = tm_processes_thread(p, machine, e->tid, utid, err);
    if (st == TM_OK && !(is_known && state == TM_TASK_DESTROYED))
        st = tm_processes_name_thread(p, *utid, ev->name, TM_THREAD_NAME_SCHED, err);
    if (st == TM_OK && state == TM_TASK_DESTROYED)
        tm_processes_end_thread(p, machine, e->tid, e->time_ns);
    return st;
}

/* Adds a state of a task of any kernel. Column value has the state in its low 32 bits, and the priority above. */
static enum tm_status task_state(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                                 struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    const uint32_t state = (uint32_t)e->value;
    int64_t utid;
    bool repeats;
    if (state == TM_TASK_UNKNOWN || state >= TM_TASK_STATES || e->cpu >= TM_CPUS_A_MACHINE)
        return tm_model_count(out, ev->place, TM_MODEL_TASK_STATE_INVALID, err);
    enum tm_status st = stated_task(tasks, ev, (enum tm_task_state)state, &utid, err);
    if (st == TM_END)
        return tm_model_count(out, ev->place, TM_MODEL_TASK_STATE_ORDER, err);
    if (st < 0 || out->options.tasks_only)
        return st;
    const struct tm_task_change change = {.at = at(ev, utid),
                                          .machine = ev->place.machine,
                                          .cpu = e->cpu,
                                          .tid = e->tid,
                                          .state = (enum tm_task_state)state,
                                          .priority = (int32_t)(uint32_t)(e->value >> 32),
                                          .is_idle = !has_states(tasks, utid)};
    tm_row_bounds_add(&out->bounds, e->time_ns);
    st = tm_task_states_change(&tasks->task_states, &change, &repeats, err);
    return st < 0 || !repeats ? st : tm_model_count(out, ev->place, TM_MODEL_TASK_STATE_ORDER, err);
}

enum tm_status tm_model_task(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                             struct tm_error *err)
{
    switch (ev->e->kind) {
    case TM_KIND_TASK_NEW:
        return task_new(tasks, out, ev, err);
    case TM_KIND_PROCESS_EXIT:
        tm_processes_end_thread(&tasks->processes, ev->place.machine, ev->e->tid, ev->e->time_ns);
        return TM_OK;
    case TM_KIND_BLOCKED_REASON:
        return blocked_reason(tasks, ev, err);
    case TM_KIND_THREAD_STATE:
        return thread_state(tasks, out, ev, err);
    case TM_KIND_TASK_STATE:
        return task_state(tasks, out, ev, err);
    default:
        return task_rename(tasks, ev, err);
    }
}

static void read_sample_arg(const struct tm_pb_field *message, struct tm_sample_row *row)
{
    struct tm_pb_field part;
    struct tm_text key = {0}, text = {0};
    for (struct tm_pb arg = tm_pb_of(message->data, message->len); tm_pb_next(&arg, &part) == TM_OK;) {
        if (part.id == TM_ARG_KEY && part.type == TM_PB_LEN)
            key = (struct tm_text){part.data, part.len};
        else if (part.id == TM_ARG_STRING && part.type == TM_PB_LEN)
            text = (struct tm_text){part.data, part.len};
    }
    if (tm_text_is(key, "cpu_mode"))
        row->cpu_mode = text;
    else if (tm_text_is(key, "unwind_error"))
        row->unwind_error = text;
    else if (tm_text_is(key, "source"))
        row->source = text;
}

/* Returns the name of a mode by its number in perf's records (linux/perf_event.h). Its data is NULL for an unknown
 * one. */
static struct tm_text mode_text(uint64_t mode)
{
    static const char *const modes[] = {NULL, "kernel", "user", "hypervisor", "guest_kernel", "guest_user"};
    if (mode == 0 || mode >= sizeof modes / sizeof *modes)
        return (struct tm_text){0};
    return tm_text_str(modes[mode]);
}

/* Reads what a sample states besides its stack: args of samples in protos, and the mode of perf.data. */
static void read_sample_detail(const struct tm_event *e, struct tm_sample_row *row)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_FRAMES)
            break;
        if (f.id == TM_DETAIL_ARGS && f.type == TM_PB_LEN && row->input_type == TM_INPUT_PROTO)
            read_sample_arg(&f, row);
        else if (f.id == TM_DETAIL_CPU_MODE && f.type == TM_PB_VARINT)
            row->cpu_mode = mode_text(f.value);
    }
}

/* Finds the thread of ROW's sample, or the process if no thread is stated. */
static enum tm_status find_sampled(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_sample_row *row,
                                struct tm_error *err)
{
    if (ev->e->flags & TM_EVENT_HAS_TID) {
        enum tm_status st = tm_model_thread(tasks, ev, err);
        row->utid = ev->utid;
        return st;
    }
    return ev->e->flags & TM_EVENT_HAS_PID
               ? tm_processes_process(&tasks->processes, ev->place.machine, ev->e->pid, &row->upid, err)
               : TM_OK;
}

enum tm_status tm_model_sample(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const bool is_of_packet = tm_event_raw(ev->e->flags) == TM_RAW_PACKET;
    if (!(ev->e->flags & TM_EVENT_HAS_TID) && !is_of_packet) /* the task is unknown */
        return tm_model_count(&m->out, ev->place, TM_MODEL_NO_TRACK, err);
    const struct tm_catalog_file *file = &m->files.catalog->files[ev->place.file];
    struct tm_sample_row row = {.ts = ev->e->time_ns,
                                .input_type = file->input_type,
                                .file_type = file->type,
                                .machine = ev->place.machine,
                                .callsite = TM_NO_ID,
                                .counter = TM_NO_ID,
                                .is_perf = is_of_packet,
                                .utid = TM_NO_ID,
                                .upid = TM_NO_ID,
                                .cpu = ev->e->flags & TM_EVENT_HAS_CPU ? (int64_t)ev->e->cpu : TM_NO_ID};
    enum tm_status st = find_sampled(&m->tasks, ev, &row, err);
    read_sample_detail(ev->e, &row);
    if (st == TM_OK && row.cpu != TM_NO_ID)
        st = tm_sched_cpu(&m->tasks.sched, ev->place.machine, ev->e->cpu, err);
    if (st < 0)
        return st;
    m->out.packet.is_sample = row.is_perf;
    if ((st = tm_stacks_add(&m->stacks, ev->e->detail, ev->e->detail_bytes, &row.callsite, err)) < 0)
        return st;
    tm_row_bounds_add(&m->out.bounds, ev->e->time_ns);
    if (m->out.options.counts_samples && m->files.all[ev->place.file].is_perf_data && ev->name.data &&
        ev->e->flags & TM_EVENT_HAS_VALUE && (st = tm_model_sample_counter(m, ev, &row, err)) < 0)
        return st;
    return m->out.rows->sample(m->out.rows->self, &row, err);
}

enum tm_status tm_model_log(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_model_output *out = &m->out;
    const struct tm_event *e = ev->e;
    struct tm_log_row row = {.ts = e->time_ns,
                             .utid = TM_NO_ID,
                             .priority = e->flags & TM_EVENT_HAS_VALUE ? (int64_t)e->value : 0,
                             .syslog_priority = TM_NO_ID,
                             .input_type = m->files.catalog->files[ev->place.file].input_type,
                             .tag = ev->category,
                             .message = ev->name};
    if (tm_event_is_of_journal(e))
        row.syslog_priority = tm_event_syslog_priority(e);
    enum tm_status st = e->flags & TM_EVENT_HAS_TID ? tm_model_thread(&m->tasks, ev, err) : TM_OK;
    if (st < 0 || (st = tm_arg_sets_add(&out->arg_sets, e->detail, e->detail_bytes, &row.arg_set, err)) < 0)
        return st;
    row.utid = ev->utid;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    return out->rows->log(out->rows->self, &row, err);
}
