/* Names of ends on tracks that have begins and ends as well as complete events (reader_slices.h). */
#ifndef TM_EMIT_PERFETTO_TRACK_ENDS_H
#define TM_EMIT_PERFETTO_TRACK_ENDS_H

#include "emit/perfetto/track_writer.h"

/* Follows all tracks with slices from the first begin or end of a thread or process on: tracks with open complete
 * events at once, others when a slice begins. TM_OK; TM_E_INPUT past TM_SLICES_SLOTS_MAX; TM_E_SYSTEM. */
enum tm_status tm_track_ends_follow(struct tm_track_writer *writer, struct tm_error *err);

/* A slice on track UUID for a reader of the output. */
struct tm_track_slice {
    uint64_t uuid;
    int64_t dur_ns;    /* 0: an instant; -1: until an end */
    int64_t reader_id; /* its number in reader_slices.h */
};

/* Notes that SLICE of EVENT begins. Sets its reader_id. Complete events that cannot stay there move to their lanes
 * (deferred_choice.h). TM_OK; TM_END: the slice crosses a complete event there; TM_E_INPUT past TM_SLICES_SLOTS_MAX;
 * TM_E_SYSTEM. */
enum tm_status tm_track_ends_begin(struct tm_track_writer *writer, const struct tm_event *event,
                                   struct tm_track_slice *slice, struct tm_error *err);

/* Notes that the begin of SLICE was written. TM_OK; TM_E_INPUT past TM_SLICES_SLOTS_MAX; TM_E_SYSTEM. */
enum tm_status tm_track_ends_begun(struct tm_track_writer *writer, const struct tm_event *event,
                                   const struct tm_track_slice *slice, struct tm_error *err);

/* Gives E, an end in a file, a name and category with which a reader of the output ends the slice that E ends in its
 * file. TM_OK; TM_END: there are none; TM_E_SYSTEM. */
enum tm_status tm_track_ends_label(struct tm_track_writer *writer, struct tm_event *e, uint64_t uuid,
                                   struct tm_error *err);

#endif
