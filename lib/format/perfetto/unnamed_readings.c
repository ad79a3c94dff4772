#include "format/perfetto/unnamed_readings.h"

#include "stream/clock_id.h"

enum { BYTES_MAX = 4 << 20 };

/* Before the bytes of each reading. */
struct head {
    int64_t time;
    uint64_t session;
    size_t len;
    uint32_t clock, machine, sequence, generation, body;
    bool has_time;
};

static bool has_room(struct tm_proto_known_texts *known, size_t len)
{
    const bool has = sizeof(struct head) + len <= BYTES_MAX - known->unnamed.len;
    known->places.refused += !has;
    return has;
}

enum tm_status tm_proto_unnamed_add(struct tm_proto_packet_rows *w, const struct tm_pb_field *reading,
                                    uint64_t session, enum tm_proto_stat stat)
{
    const struct tm_proto_packet *packet = w->packet;
    const struct head head = {.time = packet->time,
                              .session = session,
                              .len = reading->len,
                              .clock = packet->clock,
                              .machine = packet->machine,
                              .sequence = packet->sequence_id,
                              .generation = packet->generation,
                              .body = packet->body.id,
                              .has_time = packet->has_time};
    struct tm_buf *readings = &w->known->unnamed;
    if (w->is_again || tm_clock_is_scoped(packet->clock) || !has_room(w->known, reading->len))
        return tm_proto_count_stat(&w->rows->counts, stat, packet->machine, 1, w->err);
    return tm_buf_add(readings, &head, sizeof head) < 0 || tm_buf_add(readings, reading->data, reading->len) < 0
               ? tm_error_nomem(w->err)
               : TM_OK;
}

enum tm_status tm_proto_unnamed_next(const struct tm_proto_known_texts *known, size_t *at,
                                     struct tm_proto_packet *packet, uint64_t *session)
{
    struct head head;
    if (*at == known->unnamed.len)
        return TM_END;
    memcpy(&head, known->unnamed.data + *at, sizeof head);
    const uint8_t *data = known->unnamed.data + *at + sizeof head;
    *packet = (struct tm_proto_packet){.time = head.time,
                                       .has_time = head.has_time,
                                       .clock = head.clock,
                                       .machine = head.machine,
                                       .sequence_id = head.sequence,
                                       .generation = head.generation,
                                       .body = {.id = head.body, .type = TM_PB_LEN, .data = data, .len = head.len}};
    *session = head.session;
    *at += sizeof head + head.len;
    return TM_OK;
}
