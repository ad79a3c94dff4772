/* The process and thread of an event, and their names, as far as earlier rows state them; also the process or thread of
 * a track's uuid. For outputs that write row by row. Memory is bounded: more threads, processes, tracks or names than
 * the limits are an error. It is not the model's table of processes (model/processes.h), because that has a row for
 * each lifetime of a task and keeps all rows until the end. */
#ifndef TM_EMIT_TASK_NAMES_H
#define TM_EMIT_TASK_NAMES_H

#include "base/intern.h"
#include "base/table.h"
#include "emit/change_counts.h"
#include "model/catalog.h"

enum { TM_TASK_NAMES_ROWS_MAX = 1 << 22, TM_TASK_NAMES_NAME_BYTES_MAX = 1 << 30, TM_TASK_NAMES_DEPTH_MAX = 32 };

/* Names that definitions give threads, each one at most twice in succession. Further ones count before all
 * events alone. */
enum { TM_TASK_NAMES_DEFINED_MAX = 1 << 22 };

/* The owner of an event. Texts are borrowed from the struct tm_task_names until its next learn. */
struct tm_event_task {
    bool has_pid, has_tid;
    int64_t pid, tid;
    struct tm_text process, thread; /* names; data NULL: unknown */
    struct tm_text track;           /* name of the track, for an event with a track uuid */
    bool is_below;                  /* that track is below the thread's or process's own */
};

struct tm_task_names_row {
    uint64_t scope, id; /* the key: machine and tid, machine and pid, file with machine and uuid */
    uint32_t name;      /* in names, plus 1 */
    uint32_t string;    /* the stream's number of that name, if a switch gave it; else 0 */
    uint32_t defined;   /* of a thread: the definition that was kept last, plus 1, until an event comes; 0: none */
    uint16_t count;     /* index in counts */
    uint8_t priority;   /* of the name: one of a lower priority does not replace it (enum tm_thread_name_priority, enum
                           tm_process_name_priority) */
    bool has_pid, has_tid, has_parent;
    bool has_lost_name; /* of a thread: a task that began has taken the name that a definition gave */
    bool is_described, is_counter, is_task; /* of a track; is_task: it is the track of a process or thread */
    uint8_t merge;                          /* of a track: its sibling_merge_behavior */
    int64_t pid, tid;
    uint64_t parent;
};

struct tm_task_names_table {
    struct tm_task_names_row *rows;
    uint32_t count, cap;
    struct tm_table row_of; /* scope, id -> row */
};

/* Repeating that thread TID of MACHINE is called STRING changes nothing while its count is COUNT. */
struct tm_task_names_repeated {
    uint32_t machine, string;
    int32_t tid;
    uint32_t count; /* plus 1; 0: no thread */
};

/* Repeating that thread TID of MACHINE belongs to process PID changes nothing while its count is COUNT. */
struct tm_task_names_owned {
    uint32_t machine;
    int32_t tid, pid;
    uint32_t count; /* plus 1; 0: no thread */
};

/* A name that a definition gives a thread. Definitions come before all events in a sorted stream, so the name counts
 * from the start; and again from the definition's own time on, because a task that began meanwhile has lost it. */
struct tm_task_names_defined {
    int64_t time_ns; /* INT64_MIN: without a time */
    int64_t tid;
    uint64_t position; /* among the definitions */
    uint32_t machine;
    uint32_t name; /* in names */
    uint8_t priority;
    bool is_repeated; /* the thread was given the same name before; the time is the last such time */
};

struct tm_task_names {
    const struct tm_catalog *catalog; /* borrowed */
    /* grows when something is learned: of the thread or process with an id on a machine, of the tracks of a file */
    struct tm_change_counts counts;
    /* private */
    struct tm_task_names_table threads, processes, tracks;
    struct tm_intern names;
    struct tm_task_names_defined *defined; /* from next_defined on in order of time once an event has come */
    uint32_t defined_count, defined_cap, next_defined;
    int64_t due_ns; /* an event from this time on is behind the next of these */
    struct tm_task_names_repeated repeated[TM_CHANGE_COUNTS]; /* by the index in counts */
    struct tm_task_names_owned owned[TM_CHANGE_COUNTS];       /* by the index in counts */
};

/* CATALOG has the file of each event that NAMES is given; it must outlive NAMES. */
void tm_task_names_init(struct tm_task_names *names, const struct tm_catalog *catalog);

/* Learns what EVENT states; most events state nothing. TM_OK; TM_E_INPUT: its detail is damaged, or a
 * limit is reached; TM_E_SYSTEM. */
enum tm_status tm_task_names_learn(struct tm_task_names *names, const struct tm_event *event, struct tm_error *err);

/* Return the index in counts of the thread and process with number ID on MACHINE, and that of all tracks of FILE. The
 * owner of an event stays the same while these do: those of its thread and process, and of its file if it has a track.
 */
static inline uint16_t tm_task_names_task_count(uint32_t machine, int64_t id)
{
    return tm_change_counts_index(machine, id);
}

static inline uint16_t tm_task_names_track_count(uint32_t file)
{
    return tm_change_counts_index(file, INT64_MAX);
}

/* Finds the owner of EVENT by its columns and by what has been learned. */
void tm_task_names_find(const struct tm_task_names *names, const struct tm_event *event, struct tm_event_task *place);

/* The number of characters that "PROCESS:PID/THREAD:TID" takes for the longest of the known threads. */
size_t tm_task_names_width(const struct tm_task_names *names);

/* True for kinds whose column pid is another thread: the next one, the waker, the parent (events.md). */
static inline bool tm_task_names_has_other(const struct tm_event *event)
{
    return event->kind == TM_KIND_SCHED_SWITCH || event->kind == TM_KIND_SCHED_WAKING ||
           event->kind == TM_KIND_TASK_NEW;
}

/* True for an event of the kernel. Its thread 0 is an idle task, which has a name even if none was learned. */
static inline bool tm_task_names_is_of_kernel(const struct tm_event *event)
{
    return tm_event_is_of_kernel(event->flags) ||
           (event->kind >= TM_KIND_SCHED_SWITCH && event->kind <= TM_KIND_FTRACE);
}

/* The number of the name of EVENT's track, which is of its file; 0: unknown. The second is the text of NUMBER; data
 * NULL: it is 0. */
uint32_t tm_task_names_track(const struct tm_task_names *names, const struct tm_event *event);
struct tm_text tm_task_names_text(const struct tm_task_names *names, uint32_t number);

/* The name of thread TID on MACHINE; data NULL: unknown. */
struct tm_text tm_task_names_thread(const struct tm_task_names *names, uint32_t machine, int64_t tid);

void tm_task_names_release(struct tm_task_names *names);

#endif
