/* What the samples of a sequence count, as the TracePacketDefaults of its first packet. Readers make of it a counter
 * for each cpu, named like the event, and a session with the unit. Source: perf_events.proto and profile_packet.proto
 * of Perfetto. */
#ifndef TM_EMIT_PERFETTO_SAMPLE_TIMEBASE_H
#define TM_EMIT_PERFETTO_SAMPLE_TIMEBASE_H

#include "base/buf.h"

#include <stdbool.h>

/* Appends to OUT the defaults for samples of the event that perf calls NAME ("cycles:u", "sched:sched_switch"). False:
 * out of memory. */
bool tm_sample_timebase_put(struct tm_buf *out, const uint8_t *name, size_t len);

#endif
