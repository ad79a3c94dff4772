/* Packets about the recording as a whole: rows of the metadata table, and the tracing service's own statistics. Names
 * are those of the reference importer (storage/metadata.h, storage/stats.h). */
#ifndef TM_FORMAT_PERFETTO_METADATA_H
#define TM_FORMAT_PERFETTO_METADATA_H

#include "format/perfetto/internal.h"

/* True for the packets that tm_proto_metadata_read uses. */
static inline bool tm_proto_metadata_in(uint32_t body)
{
    return body == TM_PACKET_TRACE_UUID || body == TM_PACKET_TRACE_CONFIG || body == TM_PACKET_TRACE_ATTRIBUTES ||
           body == TM_PACKET_SYSTEM_INFO || body == TM_PACKET_CHROME_EVENTS || body == TM_PACKET_CHROME_METADATA;
}

/* Writes the Metadata frames of a trace_uuid, trace_config, trace_attributes or system_info packet, and of Chrome's
 * metadata. The caller adds the packet's row. */
enum tm_status tm_proto_metadata_read(struct tm_proto *p, const struct tm_proto_packet *packet, struct tm_error *err);

#endif
