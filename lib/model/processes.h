/* The threads and processes of all machines, as events show them.
 *
 * A process is (machine, pid) and a thread (machine, tid) until something shows that the number was
 * given away anew: a task that starts, one that exits, a second descriptor for the same number. A
 * thread belongs to the process it was last seen in; one whose process is not known belongs to the
 * process of the thread that made it. utid and upid are row numbers. Memory grows with the number
 * of threads and processes. Source: doc/rules.md and doc/model.md; which sighting starts a new
 * life is the reference's. */
#ifndef TM_MODEL_PROCESSES_H
#define TM_MODEL_PROCESSES_H

#include "base/intern.h"
#include "model/rows.h"
#include "base/table.h"

/* How far a name is to be trusted; a name gives way to one of the same or higher trust. */
enum tm_name_trust {
    TM_TRUST_OTHER = 0,        /* a thread's: metadata event of Chrome JSON */
    TM_TRUST_SCHED = 1,        /* a thread's: scheduling events, task names on lines of text */
    TM_TRUST_PROCESS_TREE = 2, /* a thread's */
    TM_TRUST_DESCRIPTOR = 3,   /* the trace's own descriptor */
    TM_TRUST_SYSTEM = 4,       /* a process's: process tree, scheduling events, metadata event of Chrome JSON */
    TM_TRUST_MODEL = 5
};

enum tm_task_state { TM_TASK_UNKNOWN, TM_TASK_RUNNING, TM_TASK_RUNNABLE, TM_TASK_BLOCKED };

struct tm_thread_row {
    int64_t tid;
    uint32_t machine;
    int64_t upid; /* TM_NO_ID: not known */
    uint32_t name; /* of names, plus one; 0 none */
    uint8_t name_trust;
    uint8_t state; /* enum tm_task_state, as far as scheduling shows it */
    bool is_main, is_idle, has_start, has_end;
    int64_t start_ns, end_ns;
    /* private */
    bool listed;
    int64_t older, newer;   /* threads of the same tid that may still live, by last sighting */
    int64_t kin;            /* ring of threads that will turn out to be of one process */
    int64_t next_in_process;
    int64_t children;       /* processes that it made before its own was known */
};

struct tm_process {
    int64_t pid;
    uint32_t machine;
    int64_t parent; /* upid; TM_NO_ID */
    uint32_t name;
    uint8_t name_trust;
    uint32_t cmdline;
    bool has_start, has_end, has_uid;
    int64_t start_ns, end_ns, uid;
    int64_t arg_set; /* TM_NO_ID */
    /* private */
    bool is_current; /* its pid still means it */
    int64_t threads, next_child;
};

/* Zero-initialise; init before use. */
struct tm_processes {
    struct tm_thread_row *threads;
    struct tm_process *processes;
    uint32_t thread_count, process_count;
    uint32_t changes; /* counts up when what a tid or pid means may have changed */
    struct tm_intern names;
    uint64_t conflicts; /* threads that would have been in two processes */
    /* private */
    uint32_t thread_cap, process_cap;
    struct tm_table pids, tids, live, pairs, orphans;
};

void tm_processes_init(struct tm_processes *processes);
void tm_processes_release(struct tm_processes *processes);

/* The rows of a machine's idle task come first; this makes them if they are not there.
 * *UTID its thread. */
enum tm_status tm_processes_machine(struct tm_processes *p, uint32_t machine, int64_t *utid, struct tm_error *err);

/* From now on tid 0 and pid 0 of MACHINE are the idle task (a trace of the kernel's scheduler). */
enum tm_status tm_processes_idle(struct tm_processes *p, uint32_t machine, struct tm_error *err);

/* Each sets *UTID or *UPID: the one that lives, or TM_NO_ID … */
int64_t tm_processes_find_thread(const struct tm_processes *p, uint32_t machine, int64_t tid);
/* … or the one that lives, or a new one. */
enum tm_status tm_processes_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t *utid,
                                   struct tm_error *err);
enum tm_status tm_processes_process(struct tm_processes *p, uint32_t machine, int64_t pid, int64_t *upid,
                                    struct tm_error *err);
/* The thread TID of process PID. */
enum tm_status tm_processes_thread_in(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t pid,
                                      int64_t *utid, struct tm_error *err);

/* A life begins. TIME_NS may be NULL. */
enum tm_status tm_processes_start_thread(struct tm_processes *p, uint32_t machine, int64_t tid, const int64_t *time_ns,
                                         int64_t *utid, struct tm_error *err);
enum tm_status tm_processes_start_process(struct tm_processes *p, uint32_t machine, int64_t pid,
                                          const int64_t *time_ns, int64_t *upid, struct tm_error *err);
/* The thread ends, and its process with it if it is the main thread. */
enum tm_status tm_processes_end_thread(struct tm_processes *p, uint32_t machine, int64_t tid, int64_t time_ns,
                                       struct tm_error *err);

/* Threads A and B are of one process, whichever it is. */
enum tm_status tm_processes_same(struct tm_processes *p, int64_t a, int64_t b, struct tm_error *err);
/* Process UPID was made by thread UTID. */
void tm_processes_child(struct tm_processes *p, int64_t upid, int64_t utid);

/* NAME with data NULL changes nothing. */
enum tm_status tm_processes_name_thread(struct tm_processes *p, int64_t utid, struct tm_text name,
                                        enum tm_name_trust trust, struct tm_error *err);
enum tm_status tm_processes_name_process(struct tm_processes *p, int64_t upid, struct tm_text name,
                                         enum tm_name_trust trust, struct tm_error *err);
enum tm_status tm_processes_cmdline(struct tm_processes *p, int64_t upid, struct tm_text cmdline,
                                    struct tm_error *err);

/* Text NAME of a row; data NULL where it is 0. */
struct tm_text tm_processes_text(const struct tm_processes *p, uint32_t name);

#endif
