/* A recorded packet with a track event that has no bytes in the output yet: all that they depend on. It is encoded
 * where and when that suits, perhaps by another thread (packet_encoder.h). */
#ifndef TM_EMIT_PERFETTO_RECORDED_DRAFT_H
#define TM_EMIT_PERFETTO_RECORDED_DRAFT_H

#include "base/text.h"
#include "emit/perfetto/draft_head.h"
#include "emit/perfetto/id_mix.h"
#include "perfetto/extra_counters.h"

/* Zero-initialise. */
struct tm_recorded_draft {
    struct tm_draft_head head; /* its flags are added to those that the packet has recorded */
    struct tm_id_mix mix;
    uint64_t value;            /* of a counter, if has_value */
    bool has_value, value_is_double;
    uint64_t own_track; /* the event names no track and is on this one; 0: it stays as it is */
    bool is_flow; /* a legacy event of a flow: all its ids are flow ids */
    bool is_body; /* no field of the track event changes (TM_EVENT_RAW_BODY) */
    bool has_extras; /* rows may replace extra counter values; where there are none, these stay as they are */
    struct tm_extra_cursor extras_from;   /* of the first row's value */
    const struct tm_packet_value *extras; /* borrowed */
    struct tm_text raw; /* a TracePacket that tm_recorded_draft_takes accepts; borrowed */
};

/* True if packet RAW is sound and has only fields that a draft can write: a track event, fields that are copied, and
 * those that are written anew. */
bool tm_recorded_draft_takes(struct tm_text raw);

#endif
