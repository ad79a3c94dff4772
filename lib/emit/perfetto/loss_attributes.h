/* Attributes that count what the merged trace does not show of its files: `tracemerge.file.N.left_out.WHAT`. WHAT is a
 * kind of events that have no form in a Perfetto trace, `early_ftrace_events`, `clock_readings` (they contradict
 * others), `surplus_clock_readings` (beyond TM_CLOCK_ROWS_MAX) or `surplus_names` (of threads and processes, beyond
 * TM_PENDING_NAMES_MAX). `tracemerge.file.N.times_as_recorded` counts times that are not on trace time. */
#ifndef TM_EMIT_PERFETTO_LOSS_ATTRIBUTES_H
#define TM_EMIT_PERFETTO_LOSS_ATTRIBUTES_H

#include "emit/perfetto/packet_writer.h"

/* Writes a packet of machine HOME if anything was counted. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_loss_attributes_write(struct tm_packet_writer *writer, uint32_t home, struct tm_error *err);

#endif
