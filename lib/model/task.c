#include "model/internal.h"

#include "kernel/sched_state.h"

enum { CLONE_THREAD_FLAG = 0x10000 };

/* Sets *UTID to a task that a scheduling event names, with name NAME. */
static enum tm_status task(struct tm_model *m, uint32_t machine, int64_t tid, struct tm_text name, int64_t *utid,
                           struct tm_error *err)
{
    enum tm_status st = tm_processes_thread(&m->processes, machine, tid, utid, err);
    return st < 0 ? st : tm_processes_name_thread(&m->processes, *utid, name, TM_TRUST_SCHED, err);
}

static enum tm_status sched_switch(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    char state[TM_SCHED_STATE_TEXT_MAX];
    size_t len = tm_sched_state_text((uint32_t)e->value, m->machines[ev->place.machine].kernel_version, 0, state);
    struct tm_sched_switch s = {.file = ev->place.file,
                                .machine = ev->place.machine,
                                .cpu = e->cpu,
                                .ts = e->time_ns,
                                .has_prev = e->flags & TM_EVENT_HAS_TID,
                                .prev_tid = e->tid,
                                .next_tid = e->pid,
                                .has_next = e->flags & TM_EVENT_HAS_PID,
                                .next_prio = tm_event_next_priority(e),
                                .end_state = {(const uint8_t *)state, len}};
    int64_t next = 0, prev;
    bool matches;
    enum tm_status st = TM_OK;
    if (s.has_next)
        st = task(m, ev->place.machine, e->pid, ev->name, &next, err);
    if (st < 0 || e->cpu >= TM_CPUS_A_MACHINE)
        return st;
    if (tm_model_is_untold(e))
        return TM_OK;
    s.next_utid = (uint32_t)next;
    if (len == 1 && state[0] == '?')
        s.end_state.data = NULL;
    if (s.has_prev && (st = task(m, ev->place.machine, e->tid, ev->category, &prev, err)) < 0)
        return st;
    if (m->tasks_only)
        return TM_OK;
    if ((st = tm_sched_switch(&m->sched, &s, &matches, m->rows, err)) < 0)
        return st;
    tm_model_bound(m, e->time_ns);
    if (s.has_prev)
        m->processes.threads[prev].state = len && state[0] == 'R' ? TM_TASK_RUNNABLE : TM_TASK_BLOCKED;
    if (s.has_next)
        m->processes.threads[next].state = TM_TASK_RUNNING;
    return matches ? TM_OK : tm_model_count(m, ev->place, TM_MODEL_SCHED_MISMATCH, err);
}

enum tm_status tm_model_sched(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    int64_t utid;
    if (ev->e->kind == TM_KIND_SCHED_SWITCH)
        return sched_switch(m, ev, err);
    if (tm_model_is_untold(ev->e))
        return TM_OK;
    /* The reference importer takes no names from wakings in compact_sched. */
    struct tm_text name = tm_event_raw(ev->e->flags) == TM_RAW_COMPACT_SCHED ? (struct tm_text){0} : ev->name;
    enum tm_status st = tm_processes_thread(&m->processes, ev->place.machine, ev->e->pid, &utid, err); /* the waker */
    if (st < 0)
        return st;
    st = task(m, ev->place.machine, ev->e->tid, name, &utid, err);
    if (st < 0)
        return st;
    /* Waking a task that is awake changes nothing. */
    struct tm_thread_row *t = &m->processes.threads[utid];
    if (t->state == TM_TASK_UNKNOWN || t->state == TM_TASK_BLOCKED) {
        t->state = TM_TASK_RUNNABLE;
        tm_model_bound(m, ev->e->time_ns);
    }
    return TM_OK;
}

static enum tm_status task_new(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_processes *p = &m->processes;
    const struct tm_event *e = ev->e;
    uint32_t machine = ev->place.machine;
    int64_t maker, made, upid;
    enum tm_status st;
    if (e->tid == 0) /* idle tasks are announced at boot, too */
        return TM_OK;
    if (e->value & CLONE_THREAD_FLAG) {
        if ((st = tm_processes_thread(p, machine, e->pid, &maker, err)) < 0 ||
            (st = tm_processes_start_thread(p, machine, e->tid, &e->time_ns, &made, err)) < 0 ||
            (st = tm_processes_name_thread(p, made, ev->name, TM_TRUST_SCHED, err)) < 0)
            return st;
        return tm_processes_same(p, maker, made, err);
    }
    if ((st = tm_processes_start_process(p, machine, e->tid, &e->time_ns, &upid, err)) < 0 ||
        (st = tm_processes_name_process(p, upid, ev->name, TM_TRUST_SYSTEM, err)) < 0 ||
        (st = tm_processes_thread(p, machine, e->tid, &made, err)) < 0 ||
        (st = tm_processes_name_thread(p, made, ev->name, TM_TRUST_SCHED, err)) < 0 ||
        (st = tm_processes_thread(p, machine, e->pid, &maker, err)) < 0)
        return st;
    tm_processes_child(p, upid, maker);
    return TM_OK;
}

static enum tm_status task_rename(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_processes *p = &m->processes;
    const struct tm_event *e = ev->e;
    int64_t utid;
    enum tm_status st = task(m, ev->place.machine, e->tid, ev->name, &utid, err);
    if (st < 0)
        return st;
    if (e->flags & TM_EVENT_DERIVED) {
        if (!(e->flags & TM_EVENT_HAS_PID))
            return TM_OK;
        return tm_processes_thread_in(p, ev->place.machine, e->tid, e->pid, &utid, err);
    }
    const struct tm_thread_row *t = &p->threads[utid];
    if (t->upid == TM_NO_ID || p->processes[t->upid].pid != t->tid)
        return TM_OK;
    return tm_processes_name_process(p, t->upid, ev->name, TM_TRUST_SYSTEM, err);
}

enum tm_status tm_model_task(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    switch (ev->e->kind) {
    case TM_KIND_TASK_NEW:
        return task_new(m, ev, err);
    case TM_KIND_PROCESS_EXIT:
        return tm_processes_end_thread(&m->processes, ev->place.machine, ev->e->tid, ev->e->time_ns, err);
    default:
        return task_rename(m, ev, err);
    }
}

enum tm_status tm_model_sample(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    if (!(ev->e->flags & TM_EVENT_HAS_TID)) /* the task is unknown */
        return tm_model_count(m, ev->place, TM_MODEL_NO_TRACK, err);
    struct tm_sample_row row = {.ts = ev->e->time_ns,
                                .file = ev->place.file,
                                .callsite = TM_NO_ID,
                                .is_perf = tm_event_raw(ev->e->flags) == TM_RAW_PACKET};
    enum tm_status st = tm_model_thread(m, ev, err);
    if (st < 0)
        return st;
    row.utid = (uint32_t)ev->utid;
    if ((st = tm_stacks_add(&m->stacks, ev->e->detail, ev->e->detail_bytes, &row.callsite, m->rows, err)) < 0)
        return st;
    tm_model_bound(m, ev->e->time_ns);
    return m->rows->sample(m->rows->self, &row, err);
}

enum tm_status tm_model_log(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_log_row row = {.ts = e->time_ns,
                             .utid = TM_NO_ID,
                             .priority = e->flags & TM_EVENT_HAS_VALUE ? (int64_t)e->value : 0,
                             .tag = ev->category,
                             .message = ev->name};
    enum tm_status st = e->flags & TM_EVENT_HAS_TID ? tm_model_thread(m, ev, err) : TM_OK;
    if (st < 0 || (st = tm_arg_sets_add(&m->arg_sets, e->detail, e->detail_bytes, &row.arg_set, m->rows, err)) < 0)
        return st;
    row.utid = ev->utid;
    tm_model_bound(m, e->time_ns);
    return m->rows->log(m->rows->self, &row, err);
}
