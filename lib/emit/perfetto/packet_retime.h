/* A recorded TracePacket written again for the merged trace: on trace time, on an output sequence,
 * with ids of its own and deltas resolved. Everything else, unknown fields too, is copied. */
#ifndef TM_EMIT_PERFETTO_PACKET_RETIME_H
#define TM_EMIT_PERFETTO_PACKET_RETIME_H

#include "emit/perfetto/packet_values.h"
#include "emit/perfetto/packet_writer.h"

/* True when EVENT's packet holds extra counter values, so that the rows after it must be known. */
bool tm_packet_has_extras(const struct tm_event *event);

/* Writes EVENT's packet (raw is a TracePacket). TM_OK; TM_E_INPUT when raw is not one. */
enum tm_status tm_packet_retime(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

/* Writes the same bytes as tm_packet_retime by the general way, which knows all fields of packets. tm_packet_retime
 * uses the faster tm_packet_splice where that is enough. */
enum tm_status tm_packet_rewrite(struct tm_packet_writer *writer, const struct tm_event *event,
                                 const struct tm_extra_values *extras, struct tm_error *err);

#endif
