/* A recorded TracePacket written again for the merged trace: on trace time, on an output sequence,
 * with ids of its own and deltas resolved. Everything else, unknown fields too, is copied. */
#ifndef TM_EMIT_PACKET_RETIME_H
#define TM_EMIT_PACKET_RETIME_H

#include "emit/packet_writer.h"

/* Values of the DERIVED counter rows that follow an event, in order: they replace the extra counter
 * values in its packet. */
struct tm_extra_values {
    struct tm_packet_value {
        uint64_t value;
        bool is_double;
    } *values;
    uint32_t count, cap;
};

/* True when EVENT's packet holds extra counter values, so that the rows behind it must be known. */
bool tm_packet_has_extras(const struct tm_event *event);

/* Writes EVENT's packet (raw is a TracePacket). TM_OK; TM_E_INPUT when raw is not one. */
enum tm_status tm_packet_retime(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

#endif
