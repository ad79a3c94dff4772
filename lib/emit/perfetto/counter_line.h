/* Lines of ftrace text that are counters of the kernel's as FtraceEvents. */
#ifndef TM_EMIT_PERFETTO_COUNTER_LINE_H
#define TM_EMIT_PERFETTO_COUNTER_LINE_H

#include "base/buf.h"
#include "model/catalog.h"
#include "stream/event.h"

/* Appends what EVENT, a line that is a counter, says, as a field of FtraceEvent, with its strings from CATALOG:
 * cpu_frequency, cpu_idle, cpu_frequency_limits (both of them, so that the row derived from the line is said too),
 * clock_set_rate, clock_enable, thermal_temperature, cdev_update, rss_stat. TM_OK; TM_END with nothing appended where
 * it is none of these, or has a value that the event's message cannot have; TM_E_SYSTEM. Source: power.proto,
 * thermal.proto and kmem.proto of Perfetto. */
enum tm_status tm_counter_line_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *event);

#endif
