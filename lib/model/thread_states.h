/* Makes rows of thread_state: what a thread does between two events of the scheduler. It runs, could run, or waits.
 *
 * A switch ends the states of both of its tasks and begins the next; a waking makes a waiting task runnable; a task
 * that is made begins runnable. Idle tasks have no states. Each file has its own states of a thread and of a CPU, so
 * two recordings of one machine do not cut each other's rows. Memory grows with the number of threads and files. The
 * reference importer's ThreadStateTracker has the same rules. */
#ifndef TM_MODEL_THREAD_STATES_H
#define TM_MODEL_THREAD_STATES_H

#include "base/table.h"
#include "model/rows.h"

/* Zero-initialise, then set ROWS. The calls return TM_OK, TM_E_SYSTEM or the error of ROWS. */
struct tm_thread_states {
    const struct tm_rows *rows; /* receives the states and wakings */
    int64_t next_id, next_wakeup_id;
    /* private */
    struct tm_thread_last *last; /* of (file, utid) */
    uint32_t last_count, last_cap;
    struct tm_table index;       /* (file, utid) to a number in LAST */
    struct tm_thread_recent *recent; /* by utid: the number that was used last */
    uint32_t recent_count, recent_cap;
};

/* Thread UTID of FILE at time TS. With IS_ZIRCON the events are of Fuchsia's kernel. Each of them ends the state before
 * it, and the state that begins is that on UCPU. A thread that is woken is in the state "W" until it runs. */
struct tm_thread_at {
    uint32_t file, utid;
    int64_t ts;
    bool is_zircon;
    int64_t ucpu; /* of the event */
};

/* Notes that the thread leaves the CPU and is in STATE, spelled as in sched_switch; data NULL: unknown. */
enum tm_status tm_thread_states_off(struct tm_thread_states *s, struct tm_thread_at at, struct tm_text state,
                                    struct tm_error *err);

/* Notes that the thread runs on UCPU from here on. */
enum tm_status tm_thread_states_run(struct tm_thread_states *s, struct tm_thread_at at, int64_t ucpu,
                                    struct tm_error *err);

/* WAKER wakes a thread. */
struct tm_thread_waking {
    struct tm_thread_at woken;
    uint32_t waker;
    int64_t irq_context; /* 1: by an interrupt, 0: not; TM_NO_ID: unknown */
};

/* Notes WAKING. If the thread runs or can run, its state does not change, and WAKING is a row of spurious_sched_wakeup;
 * not so in Zircon. *OPENED: a state has begun. */
enum tm_status tm_thread_states_wake(struct tm_thread_states *s, const struct tm_thread_waking *waking, bool *opened,
                                     struct tm_error *err);

/* Notes that MAKER has made the thread. */
enum tm_status tm_thread_states_new(struct tm_thread_states *s, struct tm_thread_at at, uint32_t maker,
                                    struct tm_error *err);

/* Notes what the thread waits or last waited for: IO_WAIT and, if its data is not NULL, the kernel's FUNCTION. */
enum tm_status tm_thread_states_reason(struct tm_thread_states *s, struct tm_thread_at at, int64_t io_wait,
                                       struct tm_text function, struct tm_error *err);

/* Adds ROW, a state that states its own duration and affects no others. Sets its id. */
enum tm_status tm_thread_states_add(struct tm_thread_states *s, struct tm_thread_state_row *row, struct tm_error *err);

void tm_thread_states_release(struct tm_thread_states *s);

#endif
