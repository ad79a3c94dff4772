/* Makes rows of thread_state and sched from events that state the states of tasks one by one, for any kernel
 * (GenericKernelTaskStateEvent of Perfetto).
 *
 * A task that runs takes the cpu from the one that ran. The next state of that task is stated before or after, at the
 * same time. Until then it is unknown. Each file has its own states of a thread and of a cpu. Rules:
 * importers/generic_kernel/generic_kernel_parser.cc of Perfetto. */
#ifndef TM_MODEL_TASK_STATES_H
#define TM_MODEL_TASK_STATES_H

#include "base/table.h"
#include "model/sched.h"
#include "model/thread_states.h"

/* Numbers of GenericKernelTaskStateEvent.TaskStateEnum. */
enum tm_task_state {
    TM_TASK_UNKNOWN,
    TM_TASK_CREATED,
    TM_TASK_RUNNABLE,
    TM_TASK_RUNNING,
    TM_TASK_SLEEPS,
    TM_TASK_WAITS,
    TM_TASK_STOPPED,
    TM_TASK_DEAD,
    TM_TASK_DESTROYED,
    TM_TASK_STATES
};

/* Zero-initialise, then set SCHED and STATES. */
struct tm_task_states {
    struct tm_sched *sched;          /* gets the slices; borrowed */
    struct tm_thread_states *states; /* gets the rows of thread_state; borrowed */
    /* private */
    struct tm_task_on_cpu *cpus;
    struct tm_task_last *tasks;
    uint32_t cpu_count, cpu_cap, task_count, task_cap;
    struct tm_table by_cpu, by_task;
};

/* Thread AT, whose tid is TID, is in STATE from here on. */
struct tm_task_change {
    struct tm_thread_at at;
    uint32_t machine, cpu;
    int64_t tid;
    enum tm_task_state state;
    int32_t priority;
    bool is_idle; /* it has no rows of thread_state */
};

/* Returns the last state of a thread in a file; TM_TASK_UNKNOWN: none. */
enum tm_task_state tm_task_states_last(const struct tm_task_states *states, uint32_t file, uint32_t utid);

/* Adds the rows of CHANGE. *REPEATS: another state of the thread began at the same time. TM_OK, TM_E_SYSTEM or the
 * error of the receiver of rows. */
enum tm_status tm_task_states_change(struct tm_task_states *states, const struct tm_task_change *change, bool *repeats,
                                     struct tm_error *err);

void tm_task_states_release(struct tm_task_states *states);

#endif
