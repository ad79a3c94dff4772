/* Packets about the recording as a whole: rows of the metadata table, and the tracing service's own statistics. Names
 * are those of the reference importer (storage/metadata.h, storage/stats.h). */
#ifndef TM_FORMAT_PERFETTO_METADATA_H
#define TM_FORMAT_PERFETTO_METADATA_H

#include "format/perfetto/internal.h"

/* True for the packets that tm_proto_metadata_read uses. */
static inline bool tm_proto_metadata_in(uint32_t body)
{
    switch (body) {
    case TM_PACKET_TRACE_UUID:
    case TM_PACKET_TRACE_CONFIG:
    case TM_PACKET_TRACE_ATTRIBUTES:
    case TM_PACKET_SYSTEM_INFO:
    case TM_PACKET_CHROME_EVENTS:
    case TM_PACKET_CHROME_METADATA:
    case TM_PACKET_CHROME_BENCHMARK:
    case TM_PACKET_CHROME_TRIGGER:
    case TM_PACKET_TRIGGER:
    case TM_PACKET_CLONE_TRIGGER:
    case TM_PACKET_SERVICE_EVENT:
    case TM_PACKET_SYSTEM_PROPERTY:
    case TM_PACKET_RANGE_OF_INTEREST:
    case TM_PACKET_UI_STATE:
        return true;
    default:
        return false;
    }
}

/* Writes the Metadata frames of such a packet. The caller adds the packet's row. */
enum tm_status tm_proto_metadata_read(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, struct tm_error *err);

/* Writes the statistic for a recording that went into a file without flushes. Call it after all packets. */
enum tm_status tm_proto_metadata_finish(struct tm_proto_metadata *metadata, struct tm_proto_rows *rows,
                                        struct tm_error *err);

#endif
