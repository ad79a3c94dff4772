#include "format/proto_again.h"

#include <stdlib.h>

enum { TIMESTAMP_TAG = TM_PACKET_TIMESTAMP << 3, TAIL_MIN = 8, TAIL_MAX = 48, SLOT_BITS = 12 };

/* One packet behind its timestamp, and the row it became. Three cache lines. */
struct tm_proto_again {
    uint32_t sequence; /* index */
    uint32_t state;    /* the sequence's, then */
    uint16_t raw_from; /* where raw begins in the tail; raw of TAIL_MAX + 1 and more begins with the packet */
    uint16_t tail_len; /* 0: the slot is empty */
    uint8_t tail[TAIL_MAX];
    struct tm_event row;
};

/* Tails are looked at by words, the last of which may overlap the one before it. */
static inline uint32_t slot_of(const uint8_t *tail, size_t len)
{
    uint64_t hash = len;
    for (size_t i = 0; i + 8 < len; i += 8)
        hash = (hash ^ tm_get_le64(tail + i)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ tm_get_le64(tail + len - 8)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> (64 - SLOT_BITS));
}

static inline bool is_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differs = tm_get_le64(a + len - 8) ^ tm_get_le64(b + len - 8);
    for (size_t i = 0; i + 8 < len; i += 8)
        differs |= tm_get_le64(a + i) ^ tm_get_le64(b + i);
    return differs == 0;
}

static inline bool is_that(const struct tm_proto *p, const struct tm_proto_again *known, const uint8_t *tail, size_t len)
{
    return known->tail_len == len && is_equal(known->tail, tail, len) &&
           p->sequences[known->sequence].state == known->state;
}

/* The byte behind the timestamp, *TIME, that the packet begins with; NULL where it does not, or is of no length for this. */
static const uint8_t *tail_of(const uint8_t *data, size_t len, uint64_t *time)
{
    const uint8_t *end = data + len;
    const uint8_t *tail = len > 1 && *data == TIMESTAMP_TAG ? tm_varint_get(data + 1, end, time) : NULL;
    return tail && end - tail >= TAIL_MIN && end - tail <= TAIL_MAX ? tail : NULL;
}

enum tm_status tm_proto_again_read(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err)
{
    uint64_t time;
    const uint8_t *tail = p->again ? tail_of(data, len, &time) : NULL;
    if (tail == NULL)
        return TM_END;
    size_t tail_len = (size_t)(data + len - tail);
    uint32_t slot = slot_of(tail, tail_len);
    struct tm_proto_again *known = &p->again[slot];
    if (!is_that(p, known, tail, tail_len) && !is_that(p, known = &p->again[slot ^ 1], tail, tail_len))
        return TM_END;
    struct tm_event *row = &known->row;
    bool is_whole = known->raw_from > TAIL_MAX;
    row->time_ns = (int64_t)time;
    row->raw = is_whole ? data : tail + known->raw_from;
    if (is_whole)
        row->raw_bytes = (uint32_t)len;
    p->last_sequence = known->sequence;
    return tm_event_sink_add(p->sink, row, err);
}

static bool has_one_time(const struct tm_proto_packet *packet)
{
    struct tm_pb pb = tm_pb_of(packet->data, packet->len);
    struct tm_pb_field f;
    int times = 0;
    while (tm_pb_next(&pb, &f) == TM_OK)
        times += f.id == TM_PACKET_TIMESTAMP;
    return times == 1;
}

void tm_proto_again_note(struct tm_proto *p, const struct tm_proto_packet *packet, const struct tm_event *row)
{
    uint64_t time;
    const uint8_t *tail = tail_of(packet->data, packet->len, &time);
    if (tail == NULL || packet->interned.id || packet->defaults.id || packet->cleared || packet->dropped ||
        row->detail_bytes || !has_one_time(packet))
        return;
    if (p->again == NULL && (p->again = calloc((size_t)1 << SLOT_BITS, sizeof *p->again)) == NULL)
        return; /* it is read in full each time */
    size_t tail_len = (size_t)(packet->data + packet->len - tail);
    uint32_t slot = slot_of(tail, tail_len);
    struct tm_proto_again *known = &p->again[slot];
    if (known->tail_len) /* of two that share a slot the one before lives on in its neighbour */
        p->again[slot ^ 1] = *known;
    bool is_whole = row->raw < tail;
    known->tail_len = (uint16_t)tail_len;
    known->sequence = (uint32_t)(packet->sequence - p->sequences);
    known->state = packet->sequence->state;
    known->raw_from = is_whole ? TAIL_MAX + 1 : (uint16_t)(row->raw - tail);
    memcpy(known->tail, tail, tail_len);
    known->row = *row;
}
