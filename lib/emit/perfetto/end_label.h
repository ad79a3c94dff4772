/* Labels of slices, and the label with which an end closes the right slice for a reader of the output. A reader matches
 * an end with a name to the innermost open slice of that name (reader_slices.h). */
#ifndef TM_EMIT_PERFETTO_END_LABEL_H
#define TM_EMIT_PERFETTO_END_LABEL_H

#include "emit/perfetto/track_writer.h"

/* The label of STRING, a name or category of EVENT; 0: it has none. */
tm_slice_label tm_end_label_of(const struct tm_track_writer *writer, const struct tm_event *event, uint32_t string);

/* Gives E a name and category with which it ends slice READER_ID: its own, those of the slice, or none. END is E with
 * the label of the slice. TM_OK; TM_END: none of these ends that slice; TM_E_SYSTEM. */
enum tm_status tm_end_label_write(struct tm_track_writer *writer, struct tm_event *e,
                                  const struct tm_reader_event *end, int64_t reader_id, struct tm_error *err);

#endif
