/* Raw payloads of track events in which counter values are absolute. An output that copies packets needs no rows
 * for these values (option --packet-values of tm-unpack). */
#ifndef TM_FORMAT_PERFETTO_ABSOLUTE_RAW_H
#define TM_FORMAT_PERFETTO_ABSOLUTE_RAW_H

#include "format/perfetto/track_event.h"

/* True if raw of CONTEXT's event, which was decoded without damage, may have the absolute values. The counters must be
 * those of the sequence's defaults, which an output knows too. */
bool tm_proto_absolute_raw_suits(const struct tm_proto_track_context *context);

/* True if raw of ROW, which is the event of CONTEXT, must be absolute. No rows replace the extra values of a PACKET,
 * such as a refused event, nor differences of thread times and instruction counts. */
bool tm_proto_absolute_raw_is_needed(const struct tm_proto_track_context *context, const struct tm_event *row);

/* Makes raw of ROW the whole PACKET. */
static inline void tm_proto_take_packet(const struct tm_proto_packet *packet, struct tm_event *row)
{
    row->flags &= ~(uint32_t)TM_EVENT_RAW_BODY;
    row->raw = packet->raw;
    row->raw_bytes = (uint32_t)packet->raw_len;
}

/* True if a pending row (tm_proto_extra_counters_read) has a value that the field of integers in which it was recorded
 * cannot hold: a sum with a fraction, or beyond 63 bits. Then all values become doubles that name their tracks. So raw
 * of ROW and CONTEXT becomes the whole packet, which tm_proto_absolute_raw has to change, and the rows are needed. */
bool tm_proto_absolute_raw_widen(struct tm_proto_track_context *context, struct tm_event *row);

/* Sets raw of ROW to CONTEXT's recorded bytes with the values of the pending rows (tm_proto_extra_counters_read) in
 * place of the recorded ones, and with absolute thread times and instruction counts. Its bytes are in CONTEXT's rows,
 * until the next call. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_absolute_raw(const struct tm_proto_track_context *context, struct tm_event *row,
                                     struct tm_error *err);

#endif
