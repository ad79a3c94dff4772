/* The threads or the process that an event belongs to. */
#ifndef TM_MODEL_EVENT_OWNER_H
#define TM_MODEL_EVENT_OWNER_H

#include "model/model.h"

/* Rows of the model's processes; TM_NO_ID: none. */
struct tm_event_owner {
    int64_t utid;
    int64_t other_utid; /* the other task of a switch or a waking */
    int64_t upid;       /* of an event that belongs to a whole process */
};

/* Finds the owner of EVENT in a model's TASKS and LAYOUT: the thread or process of its track, else the thread or
 * process that it states itself. EVENT is the one that the model has taken last, or will take next if it ends a task.
 * An event of a cpu's track has none. The rows are made if they are new. TM_OK; TM_E_INPUT past a limit of threads,
 * processes or tracks; TM_E_SYSTEM. */
enum tm_status tm_event_owner_find(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                   const struct tm_event *event, struct tm_event_owner *owner, struct tm_error *err);

#endif
