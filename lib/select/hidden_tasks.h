/* What threads are called by events that were left out, and their processes, so that the first event of a
 * thread that is shown can be preceded by its name. Memory grows with the number of threads. */
#ifndef TM_SELECT_HIDDEN_TASKS_H
#define TM_SELECT_HIDDEN_TASKS_H

#include "base/intern.h"
#include "base/map.h"
#include "model/catalog.h"
#include "base/table.h"
#include "stream/event.h"

enum { TM_HIDDEN_TASKS_MAX = 1 << 20, TM_TASK_NAME_BYTES_MAX = 64 << 20 };

/* init before use. */
struct tm_hidden_tasks {
    struct tm_map lives; /* for tm_hidden_tasks_life */
    /* private */
    const struct tm_catalog *catalog;
    struct tm_table by_tid;
    struct tm_task_name *rows;
    uint32_t count, cap;
    uint32_t due_count; /* rows whose name or process is not said */
    struct tm_intern own; /* names that travelled with their event */
    struct tm_buf detail;
};

/* CATALOG stays the caller's. */
void tm_hidden_tasks_init(struct tm_hidden_tasks *names, const struct tm_catalog *catalog);

/* Takes in what EVENT says of names and processes of threads. Events come in order. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hidden_tasks_learn(struct tm_hidden_tasks *names, const struct tm_event *event, struct tm_error *err);

/* The output gets EVENT, which has been learned from, be it at once or late. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hidden_tasks_shown(struct tm_hidden_tasks *names, const struct tm_event *event, struct tm_error *err);

/* Which task has the number TID by now: another value after it has started or ended. 0 before. */
uint32_t tm_hidden_tasks_life(const struct tm_hidden_tasks *names, uint32_t machine, int64_t tid);

/* True when there may be names to be said. */
static inline bool tm_hidden_tasks_any_due(const struct tm_hidden_tasks *names)
{
    return names->due_count > 0;
}

/* The row that names thread TID of MACHINE at TIME_NS: a derived task_rename (doc/events.md), valid until
 * the next call. From then on it is said. TM_END: nothing is to be said. */
enum tm_status tm_hidden_tasks_say(struct tm_hidden_tasks *names, uint32_t machine, int64_t tid, int64_t time_ns,
                                   struct tm_event *row, struct tm_error *err);

/* The same for its process alone, where that is due: a row without a name. TM_OK or TM_END. */
enum tm_status tm_hidden_tasks_say_process(struct tm_hidden_tasks *names, uint32_t machine, int64_t tid,
                                           int64_t time_ns, struct tm_event *row);

void tm_hidden_tasks_release(struct tm_hidden_tasks *names);

#endif
