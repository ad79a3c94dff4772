/* A packet while the rows for what it holds are made. */
#ifndef TM_FORMAT_PERFETTO_PACKET_ROWS_H
#define TM_FORMAT_PERFETTO_PACKET_ROWS_H

#include "format/perfetto/internal.h"

struct tm_proto_packet_rows {
    struct tm_proto_known_texts *known;
    struct tm_proto_rows *rows;
    const struct tm_proto_packet *packet;
    struct tm_event like; /* a DERIVED row of scope GLOBAL, for the rows to begin with */
    bool is_again; /* the file has ended, and the packet is read again: its rows are events of their own */
    struct tm_error *err;
};

/* Adds the row of the packet itself and sets like. The other members must be set. TM_OK or an error. */
enum tm_status tm_proto_packet_rows_begin(struct tm_proto_packet_rows *packet);

/* Sets like and is_again for a packet whose own row has been added before. The other members must be set. */
void tm_proto_packet_rows_again(struct tm_proto_packet_rows *packet);

/* Makes ROW an event of its own, TIME nanoseconds after the packet. */
static inline void tm_proto_packet_rows_later(const struct tm_proto_packet_rows *packet, uint64_t time,
                                              struct tm_event *row)
{
    row->flags &= ~(uint32_t)(TM_EVENT_DERIVED | TM_EVENT_UNTIMED | TM_EVENT_DEFINITION);
    row->time_ns = (int64_t)((uint64_t)packet->like.time_ns + time);
}

#endif
