/* The output tracks of processes and threads, for a track writer. A track's uuid is computed from its machine, kind and
 * numbers, so the same input gives the same bytes. A process or thread whose number was used before
 * (emit/track_owners.h) has a uuid of its own. */
#ifndef TM_EMIT_PERFETTO_TRACK_TASKS_H
#define TM_EMIT_PERFETTO_TRACK_TASKS_H

#include "emit/perfetto/track_writer.h"

/* What a track is keyed by. */
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

/* The uuid of the track of that KIND that EVENT is on; MORE tells tracks of one process apart. */
uint64_t tm_track_key(const struct tm_track_writer *writer, const struct tm_event *event, enum tm_track_kind kind,
                      uint64_t more);

/* *UUID is the track of EVENT's process or, where IS_THREAD, thread: the file's own. The first file
 * to have it describes it; those of others are below that. */
enum tm_status tm_track_task(struct tm_track_writer *writer, const struct tm_event *event, bool is_thread,
                             uint64_t *uuid, struct tm_error *err);

/* Where EVENT, a PROCESS or THREAD row, states a sort index: notes it for the first descriptor of the task, as readers
 * take the rank of no other; and says that ranks count. Comes before the descriptors. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_task_note_rank(struct tm_track_writer *writer, const struct tm_event *event,
                                       struct tm_error *err);

/* Writes what EVENT, a PROCESS or THREAD row, states about its process or thread. */
enum tm_status tm_track_task_define(struct tm_track_writer *writer, const struct tm_event *event, struct tm_error *err);

#endif
