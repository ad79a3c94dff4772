#include "model/event_owner.h"

#include "kernel/tracks.h"
#include "model/internal.h"

/* Finds the thread that runs when E happens, with its process if E states it. */
static enum tm_status own_thread(struct tm_model_tasks *tasks, const struct tm_event *e, int64_t *utid,
                                 struct tm_error *err)
{
    struct tm_model_event ev = tm_model_event_of(e);
    enum tm_status st = tm_model_thread(tasks, &ev, err);
    *utid = ev.utid;
    return st;
}

/* Finds the tasks that a scheduling event names. Its column pid is not a process. */
static void named_tasks(const struct tm_model_tasks *tasks, const struct tm_event *e, struct tm_event_owner *owner)
{
    const bool has_other = e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING;
    if (e->flags & TM_EVENT_HAS_TID)
        owner->utid = tm_processes_find_thread(&tasks->processes, e->machine, e->tid);
    if (has_other && e->flags & TM_EVENT_HAS_PID)
        owner->other_utid = tm_processes_find_thread(&tasks->processes, e->machine, e->pid);
}

static enum tm_status track_owner(struct tm_model_layout *layout, const struct tm_event *e,
                                  struct tm_event_owner *owner, struct tm_error *err)
{
    struct tm_resolved resolved;
    enum tm_status st =
        tm_descriptors_resolve(&layout->descriptors, tm_place_of(e), e->track, &resolved, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    if (resolved.scope == TM_TRACK_THREAD)
        owner->utid = resolved.owner;
    else if (resolved.scope == TM_TRACK_PROCESS)
        owner->upid = resolved.owner;
    return TM_OK;
}

/* Finds the task that an event without a task's track states. A counter states the interrupted task, which does not own
 * it. */
static enum tm_status stated_owner(struct tm_model_tasks *tasks, const struct tm_event *e, struct tm_event_owner *owner,
                                   struct tm_error *err)
{
    if (e->kind == TM_KIND_COUNTER)
        return TM_OK;
    if (tm_event_scope(e->flags) == TM_SCOPE_CPU && e->flags & TM_EVENT_HAS_TID)
        return tm_processes_thread(&tasks->processes, e->machine, e->tid, &owner->utid, err);
    if (e->flags & TM_EVENT_HAS_TID)
        return own_thread(tasks, e, &owner->utid, err);
    if (e->flags & TM_EVENT_HAS_PID)
        return tm_processes_process(&tasks->processes, e->machine, e->pid, &owner->upid, err);
    return TM_OK;
}

enum tm_status tm_event_owner_find(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                   const struct tm_event *e, struct tm_event_owner *owner, struct tm_error *err)
{
    const enum tm_kernel_track kernel = tm_kernel_track_of(e);
    *owner = (struct tm_event_owner){TM_NO_ID, TM_NO_ID, TM_NO_ID};
    if (e->kind >= TM_KIND_SCHED_SWITCH && e->kind <= TM_KIND_PROCESS_EXIT) {
        named_tasks(tasks, e, owner);
        return TM_OK;
    }
    if (kernel)
        return tm_kernel_track_scope(kernel) == TM_TRACK_THREAD ? own_thread(tasks, e, &owner->utid, err) : TM_OK;
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_THREAD:
        return own_thread(tasks, e, &owner->utid, err);
    case TM_SCOPE_PROCESS:
        return tm_processes_process(&tasks->processes, e->machine, e->pid, &owner->upid, err);
    case TM_SCOPE_TRACK:
        return track_owner(layout, e, owner, err);
    default:
        return stated_owner(tasks, e, owner, err);
    }
}
