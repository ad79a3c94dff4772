/* Statistics that a reader of the merged trace cannot count, as attributes of the trace. A reader counts again what
 * packets of recorded Perfetto traces state. But lines of text that are not events, and events that could not be read
 * or placed, are not in any packet. Each such statistic is a trace attribute of its machine,
 * `tracemerge.file.N.stat.NAME[INDEX]` (without a file: `tracemerge.stat.NAME[INDEX]`), whose value is a number. */
#ifndef TM_EMIT_PERFETTO_STAT_ATTRIBUTES_H
#define TM_EMIT_PERFETTO_STAT_ATTRIBUTES_H

#include "emit/perfetto/packet_writer.h"

/* Writes a packet for each; the catalog must be complete. HOME is the machine of statistics without one. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_stat_attributes_write(struct tm_packet_writer *writer, uint32_t home, struct tm_error *err);

#endif
