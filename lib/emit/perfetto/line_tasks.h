/* Names and processes of threads from lines of text. A line's name has the precedence of a rename by the scheduler and
 * names only the thread. But a rename also names the process of a main thread if a reader knows that process. In that
 * case the process tree names the thread. The tree has more precedence, so later renames of that thread are repeated in
 * the tree. */
#ifndef TM_EMIT_PERFETTO_LINE_TASKS_H
#define TM_EMIT_PERFETTO_LINE_TASKS_H

#include "base/map.h"
#include "emit/perfetto/ftrace_writer.h"

/* Zero-initialise, with .packets and .ftrace set. */
struct tm_line_tasks {
    struct tm_packet_writer *packets; /* borrowed */
    struct tm_ftrace_writer *ftrace;  /* borrowed */
    bool is_in_state; /* the events are those before the part that is written */
    /* private */
    struct tm_map processes; /* machine << 32 | pid of those that a reader knows */
    struct tm_map named;     /* machine << 32 | tid to a hash of the name in the tree; its bit 0 is set if a reader has
                                that name for certain, or the tid is another task's since */
    struct tm_map owners;    /* machine << 32 | tid to the process in which a reader has the thread */
    struct tm_map others;    /* machine << 32 | tid to the process that other formats state first */
    struct tm_map stated;    /* machine << 32 | tid to its process, if some row states it */
    struct tm_map placed;    /* machine << 32 | tid to the process that its track was described with */
};

/* Notes the process that EVENT, a marker of text or a row that describes a task, makes known to a reader. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_line_tasks_note(struct tm_line_tasks *tasks, const struct tm_event *event);

/* Notes the process of the thread of EVENT, which is no line of text and states both. The first one counts. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_line_tasks_note_other(struct tm_line_tasks *tasks, const struct tm_event *event);

/* Notes the process of the thread of EVENT, a row that describes a task, or, if IS_MARKER, a marker of the kernel.
 * A marker counts only if nothing else states the process. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_tasks_note_thread(struct tm_line_tasks *tasks, const struct tm_event *event, bool is_marker);

/* Notes that the tid of EVENT, a TASK_NEW or PROCESS_EXIT, belongs to another task afterwards. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_tasks_note_lifetime(struct tm_line_tasks *tasks, const struct tm_event *event);

/* Gives EVENT, a row of a line, the process of its thread if it states none: the noted one, else one with the thread's
 * number. A thread keeps it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_tasks_place(struct tm_line_tasks *tasks, struct tm_event *event);

/* Writes the name and process in EVENT, a TASK_RENAME derived from a line. TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_line_tasks_name(struct tm_line_tasks *tasks, const struct tm_event *event, struct tm_error *err);

/* If EVENT, a SCHED_SWITCH or SCHED_WAKING, has a new name for a thread that the tree names, writes it in the tree,
 * too. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_line_tasks_rename(struct tm_line_tasks *tasks, const struct tm_event *event, struct tm_error *err);

static inline bool tm_line_tasks_may_rename(const struct tm_line_tasks *tasks)
{
    return tasks->named.count > 0;
}

void tm_line_tasks_release(struct tm_line_tasks *tasks);

#endif
