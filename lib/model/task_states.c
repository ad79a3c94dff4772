#include "model/task_states.h"

#include <stdlib.h>
#include <string.h>

/* What runs on a cpu. */
struct tm_task_on_cpu {
    int64_t slice, ts, tid; /* slice is TM_NO_ID: nothing that is known */
    uint32_t utid;
    bool is_idle;
};

/* The last state of a thread, and the slice that ended when another thread took its cpu. */
struct tm_task_last {
    enum tm_task_state state;
    int64_t row, ts;               /* its row of thread_state; TM_NO_ID: none */
    int64_t slice, begin_ns, end_ns; /* slice is TM_NO_ID: its end state is known */
};

static struct tm_text state_text(enum tm_task_state state)
{
    static const char *const texts[TM_TASK_STATES] = {NULL, "Created", "R", "Running", "S", "D", "T", "Z", "X"};
    const char *text = texts[state];
    return text ? tm_text_str(text) : (struct tm_text){0};
}

static struct tm_key task_key(uint32_t file, uint32_t utid)
{
    return (struct tm_key){file, utid, 0};
}

enum tm_task_state tm_task_states_last(const struct tm_task_states *s, uint32_t file, uint32_t utid)
{
    struct tm_key key = task_key(file, utid);
    int64_t i = tm_table_find(&s->by_task, &key);
    return i == TM_TABLE_NONE ? TM_TASK_UNKNOWN : s->tasks[i].state;
}

static enum tm_status task_of(struct tm_task_states *s, uint32_t file, uint32_t utid, struct tm_task_last **task,
                              struct tm_error *err)
{
    struct tm_key key = task_key(file, utid);
    int64_t i = tm_table_find(&s->by_task, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = s->task_count;
        if ((st = tm_array_grow(&s->tasks, &s->task_cap, s->task_count, sizeof *s->tasks, err)) < 0 ||
            (st = tm_table_set(&s->by_task, &key, i, err)) < 0)
            return st;
        s->tasks[s->task_count++] = (struct tm_task_last){.row = TM_NO_ID, .slice = TM_NO_ID};
    }
    *task = &s->tasks[i];
    return TM_OK;
}

static enum tm_status cpu_of(struct tm_task_states *s, const struct tm_task_change *c, struct tm_task_on_cpu **cpu,
                             struct tm_error *err)
{
    struct tm_key key = {c->at.file, c->machine, c->cpu};
    int64_t i = tm_table_find(&s->by_cpu, &key);
    enum tm_status st;
    if (i == TM_TABLE_NONE) {
        i = s->cpu_count;
        if ((st = tm_array_grow(&s->cpus, &s->cpu_cap, s->cpu_count, sizeof *s->cpus, err)) < 0 ||
            (st = tm_table_set(&s->by_cpu, &key, i, err)) < 0)
            return st;
        s->cpus[s->cpu_count++] = (struct tm_task_on_cpu){.slice = TM_NO_ID};
    }
    *cpu = &s->cpus[i];
    return TM_OK;
}

/* The next state of a thread. */
struct next {
    struct tm_thread_at at;
    enum tm_task_state state;
    int64_t ucpu; /* TM_NO_ID: none */
};

/* Ends the state of TASK and begins NEXT. */
static enum tm_status push(struct tm_thread_states *rows, struct tm_task_last *task, struct next next,
                           struct tm_error *err)
{
    enum tm_status st = TM_OK;
    struct tm_thread_state_row row = {.ts = next.at.ts,
                                      .dur = -1,
                                      .utid = next.at.utid,
                                      .state = state_text(next.state),
                                      .ucpu = next.ucpu,
                                      .waker_utid = TM_NO_ID,
                                      .waker_id = TM_NO_ID,
                                      .irq_context = TM_NO_ID,
                                      .io_wait = TM_NO_ID};
    if (task->row != TM_NO_ID)
        st = rows->rows->thread_state_end(rows->rows->self, task->row, next.at.ts - task->ts, err);
    if (st == TM_OK)
        st = tm_thread_states_add(rows, &row, err);
    task->state = next.state;
    task->row = row.id;
    task->ts = next.at.ts;
    return st;
}

static enum tm_status end_slice(struct tm_sched *sched, int64_t slice, int64_t dur, enum tm_task_state state,
                                struct tm_error *err)
{
    return sched->rows->sched_end(sched->rows->self, slice, dur, state_text(state), err);
}

/* Makes the thread run. The state of the thread that ran there is unknown until an event states it. */
static enum tm_status run(struct tm_task_states *s, const struct tm_task_change *c, struct tm_error *err)
{
    struct tm_task_on_cpu *cpu;
    struct tm_task_last *task;
    struct tm_sched_row slice = {.ts = c->at.ts,
                                 .dur = -1,
                                 .ucpu = tm_ucpu(c->machine, c->cpu),
                                 .utid = c->at.utid,
                                 .has_priority = true,
                                 .priority = c->priority};
    enum tm_status st = cpu_of(s, c, &cpu, err);
    if (st == TM_OK && cpu->slice != TM_NO_ID) {
        struct tm_task_on_cpu before = *cpu;
        st = end_slice(s->sched, before.slice, c->at.ts - before.ts, TM_TASK_UNKNOWN, err);
        if (st == TM_OK && (st = task_of(s, c->at.file, before.utid, &task, err)) == TM_OK) {
            task->slice = before.slice;
            task->begin_ns = before.ts;
            task->end_ns = c->at.ts;
            struct tm_thread_at left = c->at;
            left.utid = before.utid;
            if (!before.is_idle)
                st = push(s->states, task, (struct next){left, TM_TASK_UNKNOWN, TM_NO_ID}, err);
        }
    }
    if (st == TM_OK)
        st = tm_sched_add(s->sched, &slice, err);
    if (st == TM_OK)
        *cpu = (struct tm_task_on_cpu){slice.id, c->at.ts, c->tid, c->at.utid, c->is_idle};
    return st;
}

/* Ends the thread's slice, because it does not run any more. *UPDATES: its last row has an unknown state, which is this
 * one. */
static enum tm_status end_running(struct tm_task_states *s, const struct tm_task_change *c, bool *updates,
                                  struct tm_error *err)
{
    struct tm_task_on_cpu *cpu;
    struct tm_task_last *task;
    enum tm_status st = cpu_of(s, c, &cpu, err);
    if (st == TM_OK && cpu->slice != TM_NO_ID && cpu->tid == c->tid) {
        st = end_slice(s->sched, cpu->slice, c->at.ts - cpu->ts, c->state, err);
        cpu->slice = TM_NO_ID;
        return st;
    }
    if (st < 0 || (st = task_of(s, c->at.file, c->at.utid, &task, err)) < 0 || task->slice == TM_NO_ID ||
        task->end_ns != c->at.ts)
        return st;
    *updates = true;
    st = end_slice(s->sched, task->slice, task->end_ns - task->begin_ns, c->state, err);
    task->slice = TM_NO_ID;
    return st;
}

enum tm_status tm_task_states_change(struct tm_task_states *s, const struct tm_task_change *c, bool *repeats,
                                     struct tm_error *err)
{
    const struct tm_rows *rows = s->states->rows;
    struct tm_task_last *task;
    bool updates = false, runs = c->state == TM_TASK_RUNNING;
    *repeats = false;
    enum tm_status st = runs ? run(s, c, err) : end_running(s, c, &updates, err);
    if (st < 0 || c->is_idle || (st = task_of(s, c->at.file, c->at.utid, &task, err)) < 0)
        return st;
    if (updates && task->row != TM_NO_ID) {
        task->state = c->state;
        return rows->thread_state_is ? rows->thread_state_is(rows->self, task->row, state_text(c->state), err) : TM_OK;
    }
    *repeats = task->row != TM_NO_ID && task->ts == c->at.ts;
    return push(s->states, task, (struct next){c->at, c->state, runs ? tm_ucpu(c->machine, c->cpu) : TM_NO_ID}, err);
}

void tm_task_states_release(struct tm_task_states *s)
{
    free(s->cpus);
    free(s->tasks);
    tm_table_release(&s->by_cpu);
    tm_table_release(&s->by_task);
    *s = (struct tm_task_states){0};
}
