/* Samples of V8's CPU profiles. Chrome writes them as legacy events of phase P whose annotation "data" is JSON. */
#ifndef TM_FORMAT_PERFETTO_V8_SAMPLES_H
#define TM_FORMAT_PERFETTO_V8_SAMPLES_H

#include "format/perfetto/track_event.h"

/* Adds a SAMPLE row, without raw, for each sample that the event of CONTEXT, of phase P, states. The thread is that of
 * the sequence's descriptor, and the times are readings of MONOTONIC. What cannot be read is counted. TM_OK or an
 * error. */
enum tm_status tm_proto_v8_samples_add(const struct tm_proto_track_context *context, struct tm_error *err);

#endif
