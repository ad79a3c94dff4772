/* A scheduling event as a FtraceEvent, made of its columns. Source: ftrace_event.proto and sched.proto of Perfetto. */
#ifndef TM_EMIT_PERFETTO_SCHED_EVENT_H
#define TM_EMIT_PERFETTO_SCHED_EVENT_H

#include "base/buf.h"
#include "model/catalog.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/event.h"

/* Appends EVENT, a SCHED_SWITCH whose prev_state a kernel would have recorded as STATE, or a SCHED_WAKING, to OUT as
 * field event of a bundle. Its strings are in CATALOG. TM_OK, or TM_E_SYSTEM, after which OUT has a partial field. */
enum tm_status tm_sched_event_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *event,
                                  uint64_t state);

#endif
