/* A packet of Android's services (android.h) while its rows are made. */
#ifndef TM_FORMAT_PERFETTO_ANDROID_PACKET_H
#define TM_FORMAT_PERFETTO_ANDROID_PACKET_H

#include "format/perfetto/internal.h"

/* One packet and what its rows have in common. */
struct tm_proto_android {
    struct tm_proto_known_texts *known;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct tm_event like; /* a DERIVED row of scope GLOBAL */
    struct tm_error *err;
};

/* Makes ROW an event of its own, TIME nanoseconds after the packet. */
static inline void tm_proto_android_later(const struct tm_proto_android *android, uint64_t time, struct tm_event *row)
{
    row->flags &= ~(uint32_t)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
    row->time_ns = (int64_t)((uint64_t)android->like.time_ns + time);
}

#endif
