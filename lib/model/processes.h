/* The threads and processes of all machines.
 *
 * A process is (machine, pid) and a thread is (machine, tid) until an event shows that the number was assigned again: a
 * task that starts, a task that exits, or a second descriptor for the number. A thread belongs to the process in which
 * it was seen last. A thread of unknown process belongs to the process of the thread that made it. utid and upid are
 * row numbers. Memory grows with the number of threads and processes. Source: doc/rules.md and doc/model.md. The
 * reference importer decides which event starts a new lifetime. */
#ifndef TM_MODEL_PROCESSES_H
#define TM_MODEL_PROCESSES_H

#include "base/intern.h"
#include "base/table.h"
#include "model/rows.h"
#include "model/task_numbers.h"

/* A timeline with more of these is refused: a call that would add one returns TM_E_INPUT. Each lifetime counts. */
enum {
    TM_THREADS_MAX = 1 << 22,
    TM_PROCESSES_MAX = 1 << 22,
    TM_TASK_TEXT_BYTES_MAX = 1 << 30 /* distinct names and command lines */
};

struct tm_thread_row {
    int64_t tid;
    int64_t start_ns, end_ns;
    int64_t arg_set; /* TM_NO_ID */
    uint32_t machine;
    int32_t upid;  /* TM_NO_ID: unknown */
    uint32_t name;   /* number of a text, plus 1; 0: none */
    uint32_t string; /* the stream's number of the name that a scheduling event stated last; 0: another name */
    uint8_t name_priority;
    /* is_idle: as the trace states, else that of its machine's idle task; is_stateless: it is that task, which has no
     * states */
    bool is_main : 1, is_idle : 1, is_stateless : 1, has_start : 1, has_end : 1;
    /* private */
    bool listed : 1;
    int32_t older, newer;    /* threads of the same tid whose lifetime may not have ended, by last event */
    int32_t ring_next;       /* ring of threads that belong to one process, not known yet */
    int32_t next_in_process;
    int32_t children;        /* processes that it made before its own process was known */
};

struct tm_process {
    int64_t pid;
    int64_t start_ns, end_ns, uid;
    int64_t arg_set; /* TM_NO_ID */
    uint32_t machine;
    int32_t parent; /* upid; TM_NO_ID */
    uint32_t name, cmdline;
    uint8_t name_priority;
    bool has_start : 1, has_end : 1, has_uid : 1;
    bool has_sort : 1; /* the args have its sort index */
    /* private */
    bool is_current : 1; /* its pid still refers to it */
    int32_t threads, next_child;
};

/* Zero-initialise; init before use. */
struct tm_processes {
    struct tm_thread_row *threads;
    struct tm_process *processes;
    uint32_t thread_count, process_count;
    uint32_t changes; /* is incremented when a tid or pid may have got another meaning */
    struct tm_intern names;
    /* private */
    uint32_t thread_cap, process_cap;
    struct tm_task_numbers numbers;
    struct tm_index pairs;  /* from a process and a tid to the thread that joined the process last */
    struct tm_table idle;   /* the idle task's thread of each machine */
};

void tm_processes_init(struct tm_processes *processes);
void tm_processes_release(struct tm_processes *processes);

/* Makes the rows of MACHINE's idle task unless they exist; they come first. Sets *UTID to its thread. TM_OK, TM_E_INPUT
 * (a limit above) or TM_E_SYSTEM, as all functions below that return a status. */
enum tm_status tm_processes_machine(struct tm_processes *p, uint32_t machine, int64_t *utid, struct tm_error *err);

/* False if UTID has ended, or its process has, or another process has its number. */
bool tm_processes_is_alive(const struct tm_processes *p, int64_t utid);

/* Makes tid 0 and pid 0 of MACHINE mean the idle task from now on, as in a trace of the kernel's scheduler. */
enum tm_status tm_processes_idle(struct tm_processes *p, uint32_t machine, struct tm_error *err);

/* Returns the current thread of TID, or TM_NO_ID. */
int64_t tm_processes_find_thread(const struct tm_processes *p, uint32_t machine, int64_t tid);

/* Set *UTID or *UPID to the current thread or process of the number. It is made if there is none. */
enum tm_status tm_processes_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t *utid,
                                   struct tm_error *err);
enum tm_status tm_processes_process(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                    struct tm_error *err);
/* Sets *UPID to the process with PID, without its main thread. TM_OK: it is new; TM_END: it was there; TM_E_INPUT or
 * TM_E_SYSTEM. */
enum tm_status tm_processes_process_without_main(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                                 struct tm_error *err);

/* A thread of a process. */
struct tm_thread_id {
    uint32_t machine;
    int64_t pid, tid;
};

/* Sets *UTID to the current thread with ID. */
enum tm_status tm_processes_thread_in(struct tm_processes *p, struct tm_thread_id id, int64_t *utid,
                                      struct tm_error *err);

/* A new lifetime of a thread or process. */
struct tm_task_start {
    uint32_t machine;
    int64_t id;             /* its tid or pid */
    const int64_t *time_ns; /* NULL: not known */
};

/* Begin the new lifetime START. Sets *UTID or *UPID to its row. */
enum tm_status tm_processes_start_thread(struct tm_processes *p, struct tm_task_start start, int64_t *utid,
                                         struct tm_error *err);
enum tm_status tm_processes_start_process(struct tm_processes *p, struct tm_task_start start, int64_t *upid,
                                          struct tm_error *err);

/* Ends the thread. If it is the main thread, its process ends too. */
void tm_processes_end_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t time_ns);

/* Notes that threads A and B belong to one process, which may be unknown. Threads of two known processes stay there. */
enum tm_status tm_processes_join(struct tm_processes *p, int64_t a, int64_t b, struct tm_error *err);

/* Notes that thread UTID made process UPID. */
void tm_processes_set_parent(struct tm_processes *p, int64_t upid, int64_t utid);

/* Set the name of a thread, the name of a process, or its command line. A text whose data is NULL changes nothing, and
 * neither does a name of lower priority than the one that is there. */
enum tm_status tm_processes_name_thread(struct tm_processes *p, int64_t utid, struct tm_text name,
                                        enum tm_thread_name_priority priority, struct tm_error *err);
enum tm_status tm_processes_name_process(struct tm_processes *p, int64_t upid, struct tm_text name,
                                         enum tm_process_name_priority priority, struct tm_error *err);
enum tm_status tm_processes_cmdline(struct tm_processes *p, int64_t upid, struct tm_text cmdline,
                                    struct tm_error *err);

/* Sets the name that a scheduling event states. STRING: its number in the stream; 0: it has none. */
enum tm_status tm_processes_name_task(struct tm_processes *p, int64_t utid, struct tm_text name, uint32_t string,
                                      struct tm_error *err);

/* Returns the text with number NAME of a row. Its data is NULL if NAME is 0. */
struct tm_text tm_processes_text(const struct tm_processes *p, uint32_t name);

#endif
