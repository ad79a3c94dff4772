/* Names and processes of threads that only left-out events state. The name is written before the first shown event of
 * the thread. emit/task_names.h is separate, because it also holds what shown events state. Memory grows with the
 * number of threads. */
#ifndef TM_SELECT_HIDDEN_TASKS_H
#define TM_SELECT_HIDDEN_TASKS_H

#include "base/intern.h"
#include "base/table.h"
#include "model/catalog.h"
#include "stream/event.h"

enum { TM_HIDDEN_TASKS_MAX = 1 << 20, TM_TASK_NAME_BYTES_MAX = 64 << 20 };

/* Call init before use. */
struct tm_hidden_tasks {
    struct tm_table lifetimes; /* for tm_hidden_tasks_lifetime */
    /* private */
    const struct tm_catalog *catalog;
    struct tm_table by_tid;
    struct tm_task_name *rows;
    uint32_t count, cap;
    uint32_t due_count; /* threads whose name or process has not been written */
    struct tm_intern own; /* names that were inline in their event */
    struct tm_buf detail;
};

/* CATALOG is borrowed. */
void tm_hidden_tasks_init(struct tm_hidden_tasks *names, const struct tm_catalog *catalog);

/* Notes names and processes of threads that EVENT states. Events come in order. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hidden_tasks_learn(struct tm_hidden_tasks *names, const struct tm_event *event, struct tm_error *err);

/* Notes that EVENT is written to the output, now or after later events. It must have been passed to learn. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_hidden_tasks_shown(struct tm_hidden_tasks *names, const struct tm_event *event, struct tm_error *err);

/* Returns the lifetime that TID stands for. It changes when the task starts or ends; 0 before the first. */
uint32_t tm_hidden_tasks_lifetime(const struct tm_hidden_tasks *names, uint32_t machine, int64_t tid);

/* True if there may be names to write. */
static inline bool tm_hidden_tasks_any_due(const struct tm_hidden_tasks *names)
{
    return names->due_count > 0;
}

/* Makes the row that names thread TID for event BEFORE, which it precedes: a derived task_rename (doc/events.md). It is
 * valid until the next call and counts as written from now on. TM_END if there is nothing to write. */
enum tm_status tm_hidden_tasks_name_row(struct tm_hidden_tasks *names, const struct tm_event *before, int64_t tid,
                                        struct tm_event *row, struct tm_error *err);

/* Makes a derived task_rename without a name, which states the process of thread TID alone. It is valid until the
 * next call. TM_OK; TM_END if the process is unknown or was written. */
enum tm_status tm_hidden_tasks_process_row(struct tm_hidden_tasks *names, const struct tm_event *before, int64_t tid,
                                           struct tm_event *row);

void tm_hidden_tasks_release(struct tm_hidden_tasks *names);

#endif
