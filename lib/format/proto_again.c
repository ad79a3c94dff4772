#include "format/proto_again.h"

#include <stdlib.h>

enum { PACKET_TAG = 0x0a, TIMESTAMP_TAG = TM_PACKET_TIMESTAMP << 3, TAIL_MIN = 8, TAIL_MAX = 48, SLOT_BITS = 12 };

/* One packet behind its timestamp, and the row it became. Three cache lines. */
struct tm_proto_again {
    uint32_t sequence; /* index */
    uint32_t state;    /* the sequence's, then */
    uint16_t raw_from; /* where raw begins in the tail; raw of TAIL_MAX + 1 and more begins with the packet */
    uint16_t tail_len; /* 0: the slot is empty */
    uint8_t tail[TAIL_MAX];
    struct tm_event row;
};

/* Tails are looked at by words: the first and the last, which may overlap, and then those between, which few have. How long
 * one is cannot be foreseen, so that nothing should hang on it. */
static inline uint32_t slot_of(const uint8_t *tail, size_t len)
{
    uint64_t hash = len;
    for (size_t i = 8; i + 8 < len; i += 8)
        hash = (hash ^ tm_get_le64(tail + i)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ tm_get_le64(tail)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ tm_get_le64(tail + len - 8)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(hash >> (64 - SLOT_BITS));
}

static inline bool is_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint64_t differs = (tm_get_le64(a) ^ tm_get_le64(b)) | (tm_get_le64(a + len - 8) ^ tm_get_le64(b + len - 8));
    for (size_t i = 8; i + 8 < len; i += 8)
        differs |= tm_get_le64(a + i) ^ tm_get_le64(b + i);
    return differs == 0;
}

static inline bool is_that(const struct tm_proto *p, const struct tm_proto_again *known, const uint8_t *tail, size_t len)
{
    return known->tail_len == len && is_equal(known->tail, tail, len) &&
           p->sequences[known->sequence].state == known->state;
}

/* A packet that may be one of these. */
struct candidate {
    const uint8_t *data, *tail;
    size_t len, tail_len;
    uint64_t time;
    uint32_t slot;
};

/* Takes the LEN bytes of a packet at DATA apart; false where it does not begin with a timestamp, or is of no length for
 * this. */
static inline bool take(struct candidate *c, const uint8_t *data, size_t len)
{
    const uint8_t *end = data + len;
    c->data = data;
    c->len = len;
    c->tail = len > 1 && *data == TIMESTAMP_TAG ? tm_varint_get(data + 1, end, &c->time) : NULL;
    if (c->tail == NULL || end - c->tail < TAIL_MIN || end - c->tail > TAIL_MAX)
        return false;
    c->tail_len = (size_t)(end - c->tail);
    c->slot = slot_of(c->tail, c->tail_len);
    return true;
}

static inline struct tm_proto_again *find(const struct tm_proto *p, const struct candidate *c)
{
    struct tm_proto_again *known = &p->again[c->slot];
    if (is_that(p, known, c->tail, c->tail_len))
        return known;
    known = &p->again[c->slot ^ 1];
    return is_that(p, known, c->tail, c->tail_len) ? known : NULL;
}

static inline enum tm_status add(struct tm_proto *p, struct tm_proto_again *known, const struct candidate *c,
                                 struct tm_error *err)
{
    struct tm_event *row = &known->row;
    bool is_whole = known->raw_from > TAIL_MAX;
    row->time_ns = (int64_t)c->time;
    row->raw = is_whole ? c->data : c->tail + known->raw_from;
    if (is_whole)
        row->raw_bytes = (uint32_t)c->len;
    return tm_event_sink_add(p->sink, row, err);
}

enum tm_status tm_proto_again_read(struct tm_proto *p, const uint8_t *data, size_t len, struct tm_error *err)
{
    struct candidate c;
    struct tm_proto_again *known = p->again && take(&c, data, len) ? find(p, &c) : NULL;
    return known ? add(p, known, &c, err) : TM_END;
}

/* The packet that begins at AT, if all of it is there, and short; its slot is fetched. */
static inline bool take_next(const struct tm_proto *p, struct candidate *c, const uint8_t *at, const uint8_t *end)
{
    if (end - at < 2 || at[0] != PACKET_TAG || at[1] >= 0x80 || at[1] > end - at - 2 || !take(c, at + 2, at[1]))
        return false;
    __builtin_prefetch(&p->again[c->slot]);
    __builtin_prefetch(&p->again[c->slot].row);
    return true;
}

enum tm_status tm_proto_again_pass(struct tm_proto *p, size_t len, struct tm_error *err)
{
    const uint8_t *begin = p->input->data, *end = begin + len, *at = begin;
    struct candidate next, c;
    struct tm_proto_again *known;
    enum tm_status st = TM_OK;
    bool has = p->again && take_next(p, &next, at, end);
    while (has && st == TM_OK) {
        c = next;
        has = take_next(p, &next, c.data + c.len, end);
        if ((known = find(p, &c)) == NULL)
            break;
        st = add(p, known, &c, err);
        at = c.data + c.len;
    }
    tm_input_skip(p->input, (size_t)(at - begin));
    return st;
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
    struct candidate c;
    if (!take(&c, packet->data, packet->len) || packet->interned.id || packet->defaults.id || packet->cleared || packet->dropped ||
        row->detail_bytes || !has_one_time(packet))
        return;
    if (p->again == NULL && (p->again = calloc((size_t)1 << SLOT_BITS, sizeof *p->again)) == NULL)
        return; /* it is read in full each time */
    struct tm_proto_again *known = &p->again[c.slot];
    if (known->tail_len) /* of two that share a slot the one before lives on in its neighbour */
        p->again[c.slot ^ 1] = *known;
    known->tail_len = (uint16_t)c.tail_len;
    known->sequence = (uint32_t)(packet->sequence - p->sequences);
    known->state = packet->sequence->state;
    known->raw_from = row->raw < c.tail ? TAIL_MAX + 1 : (uint16_t)(row->raw - c.tail);
    memcpy(known->tail, c.tail, c.tail_len);
    known->row = *row;
}
