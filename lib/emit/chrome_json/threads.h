/* The threads of a Chrome JSON output: the process and thread of an event, and the tid and name of each lane
 * (lanes.h). */
#ifndef TM_EMIT_CHROME_JSON_THREADS_H
#define TM_EMIT_CHROME_JSON_THREADS_H

#include "emit/chrome_json/lanes.h"
#include "emit/chrome_json/metadata.h"
#include "emit/task_names.h"

enum { TM_JSON_NAMED = 1 << 14 }; /* a power of two */

/* What determines the process and thread of an event. Numbers that do not fit are not cached. */
struct tm_json_named_key {
    uint64_t track;  /* 0: the event is not on a track of its file */
    uint64_t source; /* its file and machine */
    uint64_t task;   /* its pid and tid */
    uint32_t traits; /* which of these it has, and whether it is of the kernel */
};

enum { TM_JSON_NAMED_COUNTS = 4 };

/* A cache entry: events with this key have this process and thread, whose names the output has. It is valid while the
 * sum of the counts of changes is the same. */
struct tm_json_named {
    struct tm_json_named_key key;
    uint32_t changes;                      /* the sum, plus 1; 0: no event */
    uint16_t counts[TM_JSON_NAMED_COUNTS]; /* indexes of the counts */
    int32_t pid, tid, out_pid;             /* of the task in the input; the pid of the output; if has_pid */
    bool has_pid, has_tid, is_below;       /* as in struct tm_event_task */
};

struct tm_json_threads {
    struct tm_json_metadata *metadata; /* borrowed */
    struct tm_json_lanes lanes;        /* of all threads */
    struct tm_task_names names;        /* from inputs other than Chrome JSON */
    /* private */
    struct tm_task_names json_names;   /* from definitions of Chrome JSON; the output has these already */
    struct tm_event_task task; /* of the event learned last, without names, and its pid in the output; if has_pid */
    int64_t out_pid;
    struct tm_buf scratch;
    struct tm_json_named named[TM_JSON_NAMED]; /* by a hash of the key */
};

void tm_json_threads_init(struct tm_json_threads *threads, struct tm_json_metadata *metadata);
void tm_json_threads_release(struct tm_json_threads *threads);

/* Notes what E, a definition of Chrome JSON, states of a thread or process: for lanes, and for pids that are strings if
 * these are renamed. TM_OK or an error, as all functions below. */
enum tm_status tm_json_threads_note(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Learns what E, an event of an input other than Chrome JSON, states of threads and processes. Writes the names of its
 * own thread and process if they are new. */
enum tm_status tm_json_threads_learn(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Returns the process and thread of the event learned last, without their names. */
static inline const struct tm_event_task *tm_json_threads_task(const struct tm_json_threads *threads)
{
    return &threads->task;
}

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
