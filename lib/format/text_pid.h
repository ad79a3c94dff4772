/* Numbers for pids and tids that are texts. */
#ifndef TM_FORMAT_TEXT_PID_H
#define TM_FORMAT_TEXT_PID_H

#include "stream/event_sink.h"

/* Sets *NUMBER to a number from 0x40000000 up. Each distinct text of the run has its own (doc/events.md, Chrome JSON).
 * TM_OK or an error. */
enum tm_status tm_text_pid(struct tm_event_sink *sink, const void *s, size_t len, int64_t *number,
                           struct tm_error *err);

#endif
