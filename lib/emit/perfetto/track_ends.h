/* What ends are called where a track has begins and ends besides complete events (reader_slices.h). */
#ifndef TM_EMIT_PERFETTO_TRACK_ENDS_H
#define TM_EMIT_PERFETTO_TRACK_ENDS_H

#include "emit/perfetto/track_writer.h"

/* From the first begin or end of a thread or process on, all tracks that slices are on are followed: those on which
 * complete events are open from now on, others when something begins. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_ends_follow(struct tm_track_writer *writer, struct tm_error *err);

/* A slice of EVENT begins on track UUID; *TWIN is its number. What cannot stay there with it goes (deferred_choice.h).
 * TM_OK; TM_END: it crosses a complete event there; TM_E_SYSTEM. */
enum tm_status tm_track_ends_begin(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                   int64_t dur_ns, int64_t *twin, struct tm_error *err);

/* It is written to UUID; DUR_NS is 0 for an instant, else -1. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_ends_begun(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                   int64_t dur_ns, int64_t twin, struct tm_error *err);

/* E is an end in a file. Gives it a name and category with which a reader of the output ends the slice that it means in
 * its file. TM_OK; TM_END: there are no such; TM_E_SYSTEM. */
enum tm_status tm_track_ends_mean(struct tm_track_writer *writer, struct tm_event *e, uint64_t uuid,
                                  struct tm_error *err);

#endif
