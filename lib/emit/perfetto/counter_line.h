/* Lines of ftrace text that are kernel counters, as FtraceEvents. */
#ifndef TM_EMIT_PERFETTO_COUNTER_LINE_H
#define TM_EMIT_PERFETTO_COUNTER_LINE_H

#include "base/buf.h"
#include "model/catalog.h"
#include "stream/event.h"

/* Appends EVENT, a line that is a counter, as a field of FtraceEvent, with its strings from CATALOG: cpu_frequency,
 * cpu_idle, cpu_frequency_limits (with both limits, so it includes the row derived from the line), clock_set_rate,
 * clock_enable, thermal_temperature, cdev_update, rss_stat. TM_OK; TM_END with nothing appended: it is another line, or
 * has a value that the event's message cannot have; TM_E_SYSTEM. Source: power.proto, thermal.proto and kmem.proto of
 * Perfetto. */
enum tm_status tm_counter_line_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *event);

#endif
