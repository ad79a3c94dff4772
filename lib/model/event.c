/* Finds the thread of an event of any kind. */
#include "model/internal.h"

enum tm_status tm_model_thread(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    if (ev->utid != TM_NO_ID)
        return TM_OK;
    if (e->flags & TM_EVENT_HAS_PID)
        return tm_processes_thread_in(&tasks->processes, tm_thread_id_of(e), &ev->utid, err);
    return tm_processes_thread(&tasks->processes, ev->place.machine, e->tid, &ev->utid, err);
}
