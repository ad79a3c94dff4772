/* Writes a recorded TracePacket for the merged trace: on trace time, on an output sequence, with ids of its own and
 * with deltas resolved. All other fields, also unknown ones, are copied. */
#ifndef TM_EMIT_PERFETTO_PACKET_RETIME_H
#define TM_EMIT_PERFETTO_PACKET_RETIME_H

#include "emit/perfetto/packet_writer.h"
#include "perfetto/extra_counters.h"

/* True if events of EVENT's kind may have extra counter values. One that the parser has refused, which is a PACKET, has
 * none for a reader either. */
static inline bool tm_packet_may_have_extras(const struct tm_event *event)
{
    return event->kind >= TM_KIND_SLICE_BEGIN && event->kind <= TM_KIND_COUNTER;
}

/* True if EVENT's packet has extra counter values. Rows after it may replace them. */
bool tm_packet_has_extras(const struct tm_event *event);

/* Writes EVENT's packet (raw is a TracePacket). TM_OK; TM_E_INPUT: raw is not one; TM_E_SYSTEM. */
enum tm_status tm_packet_retime(struct tm_packet_writer *writer, const struct tm_event *event,
                                const struct tm_extra_values *extras, struct tm_error *err);

/* Writes the same bytes as tm_packet_retime, which uses a draft if that suffices, by general code for all fields.
 * Returns what tm_packet_retime returns. */
enum tm_status tm_packet_rewrite(struct tm_packet_writer *writer, const struct tm_event *event,
                                 const struct tm_extra_values *extras, struct tm_error *err);

/* Sets *DRAFT to EVENT's packet. It borrows the raw bytes of EVENT and the values of EXTRAS. TM_OK, TM_E_SYSTEM, or
 * TM_END: only tm_packet_rewrite can write it. */
enum tm_status tm_packet_draft(struct tm_packet_writer *writer, const struct tm_event *event,
                               const struct tm_extra_values *extras, struct tm_recorded_draft *draft,
                               struct tm_error *err);

#endif
