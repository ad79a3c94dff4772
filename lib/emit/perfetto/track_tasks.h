/* The output tracks of processes and threads, for a track writer. A track's uuid is computed from its machine, kind and
 * numbers, so equal inputs give equal bytes. A process or thread whose number was used before (emit/track_owners.h) has
 * a uuid of its own. */
#ifndef TM_EMIT_PERFETTO_TRACK_TASKS_H
#define TM_EMIT_PERFETTO_TRACK_TASKS_H

#include "emit/perfetto/track_writer.h"

/* The kinds of keys of tracks. */
enum tm_track_kind {
    TM_TRACK_KIND_PROCESS = 1,
    TM_TRACK_KIND_THREAD,
    TM_TRACK_KIND_LANE,
    TM_TRACK_KIND_ASYNC,
    TM_TRACK_KIND_COUNTER,
    TM_TRACK_KIND_GLOBAL,
    TM_TRACK_KIND_DESCRIBED,
    TM_TRACK_KIND_THREAD_TIME
};

/* Returns the uuid of the track of KIND that EVENT is on. MORE distinguishes tracks of one process. */
uint64_t tm_track_key(const struct tm_track_writer *writer, const struct tm_event *event, enum tm_track_kind kind,
                      uint64_t more);

/* Sets *UUID to the file's own track for EVENT's process or, if IS_THREAD, thread. The first file with the task
 * describes it; the tracks of others are below that. TM_OK or TM_E_SYSTEM, as all functions below. */
enum tm_status tm_track_task(struct tm_track_writer *writer, const struct tm_event *event, bool is_thread,
                             uint64_t *uuid, struct tm_error *err);

/* Sets *OWNER to the owner of the track of EVENT's thread; NULL: there is none. If another file than EVENT's has only
 * stated the thread, by a descriptor without a track, that file gets the track now. Keeps writer->body. */
enum tm_status tm_track_task_owner(struct tm_track_writer *writer, const struct tm_event *event,
                                   const struct tm_track_owner **owner, struct tm_error *err);

/* Sets *UUID to the track that represents EVENT's process, whichever file described it. If none did, describes it. */
enum tm_status tm_track_task_process(struct tm_track_writer *writer, const struct tm_event *event, uint64_t *uuid,
                                     struct tm_error *err);

/* Returns the entry of that track in the cache, or NULL. It is valid until the next call of tm_track_task. */
struct tm_recent_task *tm_track_task_recent(struct tm_track_writer *writer, const struct tm_event *event,
                                            bool is_thread);

/* If EVENT, a PROCESS or THREAD row, states a sort index: notes it for the first descriptor of the task, since readers
 * ignore later ranks, and states that ranks count. The index with the least time counts, before it one without a time;
 * of equal ones the first call. Call it before the descriptors. */
enum tm_status tm_track_task_note_rank(struct tm_track_writer *writer, const struct tm_event *event,
                                       struct tm_error *err);

/* Writes the facts of EVENT, a PROCESS or THREAD row, about its process or thread. */
enum tm_status tm_track_task_define(struct tm_track_writer *writer, const struct tm_event *event, struct tm_error *err);

/* True if EVENT is metadata of Chrome JSON that mentions a thread without facts about it. For readers the thread
 * exists. */
static inline bool tm_track_task_is_mentioned(const struct tm_event *event)
{
    const uint32_t all = TM_EVENT_DEFINITION | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    return (event->kind == TM_KIND_METADATA || event->kind == TM_KIND_PROCESS) && (event->flags & all) == all &&
           tm_event_raw(event->flags) == TM_RAW_JSON;
}

/* Describes the thread that EVENT mentions, unless a track represents it. */
enum tm_status tm_track_task_mention(struct tm_track_writer *writer, const struct tm_event *event,
                                     struct tm_error *err);

#endif
