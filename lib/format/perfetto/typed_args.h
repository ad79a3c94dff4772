/* Arguments of track events in fields that have rules of their own. typed_message.h has those in other messages. */
#ifndef TM_FORMAT_PERFETTO_TYPED_ARGS_H
#define TM_FORMAT_PERFETTO_TYPED_ARGS_H

#include "format/perfetto/track_event.h"

/* Puts source locations, task, log message, histogram name and correlation id of an event. Adds the number of
 * references to missing interned data, and of log messages without a thread, to *ERRORS. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_typed_args_put(const struct tm_proto_track_context *context, uint32_t *errors);

/* Adds the log messages of an event as DERIVED rows after ROW, if its thread is known. TM_OK or an error. */
enum tm_status tm_proto_log_messages_add(const struct tm_proto_track_context *context, const struct tm_event *row,
                                         struct tm_error *err);

#endif
