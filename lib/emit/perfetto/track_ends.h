/* Names of ends on tracks that have begins and ends as well as complete events (reader_slices.h). */
#ifndef TM_EMIT_PERFETTO_TRACK_ENDS_H
#define TM_EMIT_PERFETTO_TRACK_ENDS_H

#include "emit/perfetto/track_writer.h"

/* Follows all tracks with slices from the first begin or end of a thread or process on: tracks with open complete
 * events at once, others when a slice begins. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_ends_follow(struct tm_track_writer *writer, struct tm_error *err);

/* Notes that a slice of EVENT begins on track UUID; *READER_ID is its number. Complete events that cannot stay there
 * move to their lanes (deferred_choice.h). TM_OK; TM_END: the slice crosses a complete event there; TM_E_SYSTEM. */
enum tm_status tm_track_ends_begin(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                   int64_t dur_ns, int64_t *reader_id, struct tm_error *err);

/* Notes that slice READER_ID was written to UUID. DUR_NS is 0 for an instant, otherwise -1. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_track_ends_begun(struct tm_track_writer *writer, const struct tm_event *event, uint64_t uuid,
                                   int64_t dur_ns, int64_t reader_id, struct tm_error *err);

/* Gives E, an end in a file, a name and category with which a reader of the output ends the slice that E ends in its
 * file. TM_OK; TM_END: there are none; TM_E_SYSTEM. */
enum tm_status tm_track_ends_mean(struct tm_track_writer *writer, struct tm_event *e, uint64_t uuid,
                                  struct tm_error *err);

#endif
