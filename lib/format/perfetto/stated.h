/* Numbers that a trace states about its recording: trace_stats and ftrace_stats. The last packet of a file counts.
 * Names: src/trace_processor/storage/stats.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_STATED_H
#define TM_FORMAT_PERFETTO_STATED_H

#include "format/perfetto/internal.h"

static inline bool tm_proto_stated_in(uint32_t body)
{
    return body == TM_PACKET_TRACE_STATS || body == TM_PACKET_FTRACE_STATS;
}

/* Notes the numbers of such a packet. The caller adds the packet's row. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_stated_read(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

/* Writes the Stat frames of all noted numbers, at the end of the file. */
enum tm_status tm_proto_stated_flush(struct tm_proto *p, struct tm_error *err);

#endif
