/* The threads of a Chrome JSON output: the process and thread of an event, and the tid and name of each lane
 * (lanes.h). */
#ifndef TM_EMIT_CHROME_JSON_THREADS_H
#define TM_EMIT_CHROME_JSON_THREADS_H

#include "emit/chrome_json/lanes.h"
#include "emit/chrome_json/metadata.h"
#include "emit/task_names.h"

enum { TM_JSON_NAMED = 4096 }; /* a power of two */

/* A cache entry: an event with these columns has this process and thread, whose names the output has. */
struct tm_json_named {
    uint64_t changes; /* what changes_of returned then, plus 1; 0: no event */
    uint64_t track;
    int64_t pid, tid;
    uint32_t file, machine, kind, flags;
    bool has_pid, has_tid, is_below; /* as in struct tm_event_task, as the next two */
    int64_t task_pid, task_tid;
};

struct tm_json_threads {
    struct tm_json_metadata *metadata; /* borrowed */
    struct tm_json_lanes lanes;        /* of all threads */
    struct tm_task_names names;        /* from inputs other than Chrome JSON */
    /* private */
    struct tm_task_names json_names;   /* from definitions of Chrome JSON; the output has these already */
    struct tm_buf scratch;
    struct tm_json_named named[TM_JSON_NAMED]; /* by a hash of the columns */
};

void tm_json_threads_init(struct tm_json_threads *threads, struct tm_json_metadata *metadata);
void tm_json_threads_release(struct tm_json_threads *threads);

/* Notes what E, a definition of Chrome JSON, states of a thread or process: for lanes, and for pids that are strings if
 * these are renamed. TM_OK or an error, as all functions below. */
enum tm_status tm_json_threads_note(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Learns what E, an event of an input other than Chrome JSON, states of threads and processes. Writes the names of its
 * own thread and process if they are new. */
enum tm_status tm_json_threads_learn(struct tm_json_threads *threads, const struct tm_event *e, struct tm_error *err);

/* Sets *TASK to the process and thread of E without their names. Fast after tm_json_threads_learn of E. */
void tm_json_threads_find(struct tm_json_threads *threads, const struct tm_event *e, struct tm_event_task *task);

/* Sets *TID to the tid in the output of LANE of THREAD, which lanes.h has numbered. Writes its name before its first
 * use. */
enum tm_status tm_json_threads_tid(struct tm_json_threads *threads, uint32_t thread, uint32_t lane, int64_t *tid,
                                   struct tm_error *err);

/* Writes the head of E with its process and thread. */
enum tm_status tm_json_threads_begin(struct tm_json_threads *threads, const struct tm_event *e, const char *phase,
                                     struct tm_error *err);

/* At the end: writes names of threads that became known only after the last slice of their thread. */
enum tm_status tm_json_threads_name_rest(struct tm_json_threads *threads, struct tm_error *err);

#endif
