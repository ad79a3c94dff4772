/* Statistics that a reader of the merged trace cannot count, as attributes of the trace. A reader counts again what
 * packets of recorded Perfetto traces state. Lines of text that are no events, and events that could not be read or
 * placed, are in no packet. Each such statistic is a trace attribute of its machine,
 * `tracemerge.file.N.stat.NAME[INDEX]`, and its value is a number (without a file: `tracemerge.stat.NAME[INDEX]`). */
#ifndef TM_EMIT_PERFETTO_STAT_ATTRIBUTES_H
#define TM_EMIT_PERFETTO_STAT_ATTRIBUTES_H

#include "emit/perfetto/packet_writer.h"

/* Writes a packet for each; the catalog must be complete. HOME is the machine of those that are of none. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_stat_attributes_write(struct tm_packet_writer *writer, uint32_t home, struct tm_error *err);

#endif
