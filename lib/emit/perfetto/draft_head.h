/* The first fields of a packet of the output: machine, time, sequence and flags. */
#ifndef TM_EMIT_PERFETTO_DRAFT_HEAD_H
#define TM_EMIT_PERFETTO_DRAFT_HEAD_H

#include "base/pb.h"
#include "perfetto/packet_fields.h"

#include <stdbool.h>

enum { TM_SEQUENCE_CLEARED = 1, TM_SEQUENCE_NEEDS_STATE = 2 }; /* TracePacket.SequenceFlags */

enum { TM_DRAFT_HEAD_MAX = 64 }; /* tm_draft_head_put writes no more bytes */

struct tm_draft_head {
    uint64_t time_ns;
    uint64_t flags;      /* of the sequence; 0: none */
    uint32_t machine_id; /* 0: none */
    uint32_t sequence;   /* 0: none */
    bool is_timed;
};

/* Each writes one of the first fields of a packet at P, where up to TM_PB_FIELD_MAX bytes may be overwritten, and
 * returns the byte after it. A machine or sequence of 0 is not written. */
static inline uint8_t *tm_packet_put_machine(uint8_t *p, uint32_t machine_id)
{
    if (machine_id == 0)
        return p;
    p = tm_varint_put(p, TM_PACKET_MACHINE_ID << 3 | TM_PB_VARINT);
    return tm_varint_put(p, machine_id);
}

static inline uint8_t *tm_packet_put_time(uint8_t *p, uint64_t time_ns)
{
    *p++ = TM_PACKET_TIMESTAMP << 3 | TM_PB_VARINT;
    return tm_varint_put_over(p, time_ns);
}

static inline uint8_t *tm_packet_put_sequence(uint8_t *p, uint32_t sequence)
{
    if (sequence == 0)
        return p;
    *p++ = TM_PACKET_SEQUENCE_ID << 3 | TM_PB_VARINT;
    return sequence < 1 << 14 ? tm_varint_put_two(p, sequence) : tm_varint_put(p, sequence);
}

/* Writes the fields of HEAD at P and returns the byte after them. */
static inline uint8_t *tm_draft_head_put(uint8_t *p, const struct tm_draft_head *head)
{
    p = tm_packet_put_machine(p, head->machine_id);
    if (head->is_timed)
        p = tm_packet_put_time(p, head->time_ns);
    p = tm_packet_put_sequence(p, head->sequence);
    if (head->flags) {
        *p++ = TM_PACKET_SEQUENCE_FLAGS << 3 | TM_PB_VARINT;
        p = tm_varint_put(p, head->flags);
    }
    return p;
}

#endif
