/* The threads of a Chrome JSON output: the process and thread of an event, and the tid and name of each lane
 * (lanes.h). */
#ifndef TM_EMIT_CHROME_JSON_THREADS_H
#define TM_EMIT_CHROME_JSON_THREADS_H

#include "emit/chrome_json/lanes.h"
#include "emit/chrome_json/metadata.h"
#include "emit/task_names.h"

enum { TM_JSON_NAMED = 1 << 15 }; /* a power of two */

enum { TM_JSON_NAMED_COUNTS = 4 };

/* A cache entry: events with this key, which is the first four members, have this process and thread, whose names the
 * output has. It is valid while the sum of the counts of changes is the same. Numbers that do not fit are not cached.
 */
struct tm_json_named {
    uint64_t track;                        /* 0: the event is not on a track of its file */
    uint64_t source;                       /* its file and machine */
    uint64_t task;                         /* its pid and tid */
    uint32_t traits;                       /* which of these it has, and whether it is of the kernel */
    uint32_t changes;                      /* the sum, plus 1; 0: no event */
    uint16_t counts[TM_JSON_NAMED_COUNTS]; /* indexes of the counts */
    int32_t pid, tid, out_pid;             /* of the task in the input; the pid in the output */
    bool has_pid, has_tid, is_below;       /* as in struct tm_event_task */
    bool has_out_pid;                      /* without has_pid: out_pid is known */
    uint32_t track_name;                   /* the number of the name of the track (task_names.h); 0: none */
    uint32_t stack;                        /* for slices: the number of the stack; 0: not known yet */
};

struct tm_json_threads {
    struct tm_json_metadata *metadata; /* borrowed */
    struct tm_json_lanes lanes;        /* of all threads */
    struct tm_task_names names;        /* from inputs other than Chrome JSON */
    /* private */
    struct tm_task_names json_names;   /* from definitions of Chrome JSON; the output has these already */
    struct tm_event_task task; /* of the event learned last, without names, and its pid in the output; if has_pid */
    int64_t out_pid;
    struct tm_json_named *current; /* the entry of that event; NULL: it has none */
    struct tm_buf scratch;
    struct tm_json_named *named; /* by a hash of the key; each is in one cache line */
    void *named_memory;
};

/* TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_threads_init(struct tm_json_threads *threads, struct tm_json_metadata *metadata,
                                    struct tm_error *err);
void tm_json_threads_release(struct tm_json_threads *threads);

/* Notes what E, a definition of Chrome JSON, states of a thread or process: for lanes, and for pids that are strings if
 * these are renamed. TM_OK or an error, as all functions below. */
enum tm_status tm_json_threads_note(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Learns what E, an event of an input other than Chrome JSON, states of threads and processes. Writes the names of its
 * own thread and process if they are new. */
enum tm_status tm_json_threads_learn(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Makes the cache find thread TID of MACHINE, and its stack, again. */
static inline void tm_json_threads_forget(struct tm_json_threads *threads, uint32_t machine, int64_t tid)
{
    threads->names.counts.counts[tm_task_names_task_count(machine, tid)]++;
}

/* Returns the process and thread of the event learned last, without their names. */
static inline const struct tm_event_task *tm_json_threads_task(const struct tm_json_threads *threads)
{
    return &threads->task;
}

/* Returns where the number of the stack of TASK, of the event learned last, is kept; NULL: nowhere. */
static inline uint32_t *tm_json_threads_stack(struct tm_json_threads *threads, const struct tm_event_task *task)
{
    const struct tm_event_task *own = &threads->task;
    const bool is_own = task->has_pid == own->has_pid && task->has_tid == own->has_tid && task->pid == own->pid &&
                        task->tid == own->tid && task->is_below == own->is_below;
    return is_own && threads->current ? &threads->current->stack : NULL;
}

/* Returns the name of the track of E, the event learned last; data NULL: it has none. */
struct tm_text tm_json_threads_track(const struct tm_json_threads *threads, const struct tm_event *e);

/* Sets *PID to the pid in the output of TASK, the process of E, which is the event learned last. */
enum tm_status tm_json_threads_pid(struct tm_json_threads *threads, const struct tm_event *e,
                                   const struct tm_event_task *task, int64_t *pid, struct tm_error *err);

/* Sets *TID to the tid in the output of LANE of THREAD, which lanes.h has numbered. Writes its name before its first
 * use. */
enum tm_status tm_json_threads_tid(struct tm_json_threads *threads, uint32_t thread, uint32_t lane, int64_t *tid,
                                   struct tm_error *err);

/* Sets the process and thread of DRAFT to those of E, the event learned last. */
enum tm_status tm_json_threads_place(struct tm_json_threads *threads, const struct tm_event *e,
                                     struct tm_json_event_draft *draft, struct tm_error *err);

/* At the end: writes names of threads that became known only after the last slice of their thread. */
enum tm_status tm_json_threads_name_rest(struct tm_json_threads *threads, struct tm_error *err);

#endif
