/* What packets say about the recording as a whole: rows of the metadata table, and the statistics the
 * tracing service keeps of itself. Names are the reference's (storage/metadata.h, storage/stats.h). */
#ifndef TM_FORMAT_PERFETTO_METADATA_H
#define TM_FORMAT_PERFETTO_METADATA_H

#include "format/perfetto/internal.h"

/* True for the packets that read takes something from. */
static inline bool tm_proto_metadata_in(uint32_t body)
{
    return body == TM_PACKET_TRACE_UUID || body == TM_PACKET_TRACE_CONFIG || body == TM_PACKET_TRACE_ATTRIBUTES ||
           body == TM_PACKET_TRACE_STATS || body == TM_PACKET_SYSTEM_INFO;
}

/* Writes the Metadata frames of a trace_uuid, trace_config, trace_attributes or system_info packet; notes the numbers
 * of a trace_stats packet. The packet's row is the caller's. */
enum tm_status tm_proto_metadata_read(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

/* Writes the Stat frames of the last trace_stats of each machine; at the end of the file. */
enum tm_status tm_proto_metadata_flush(struct tm_proto *p, struct tm_error *err);

#endif
