/* Makes Perfetto traces: packets with their common fields, and the fields that a test adds. */
#ifndef TM_T_UNIT_PROTO_MAKER_H
#define TM_T_UNIT_PROTO_MAKER_H

#include "base/pb.h"

#include <stdint.h>

/* Zero-initialised: an empty trace. out is it. */
struct maker {
    struct tm_buf out;
    size_t packet, depth, marks[16];
};

static inline void begin_packet(struct maker *m, uint64_t time, uint32_t sequence, uint32_t flags)
{
    tm_pb_begin(&m->out, 1, &m->packet);
    if (time)
        tm_pb_put_varint(&m->out, 8, time);
    if (sequence)
        tm_pb_put_varint(&m->out, 10, sequence);
    if (flags)
        tm_pb_put_varint(&m->out, 13, flags);
}

static inline void end_packet(struct maker *m)
{
    tm_pb_end(&m->out, m->packet);
}

static inline void open_field(struct maker *m, uint32_t id)
{
    tm_pb_begin(&m->out, id, &m->marks[m->depth++]);
}

static inline void close_field(struct maker *m)
{
    tm_pb_end(&m->out, m->marks[--m->depth]);
}

static inline void number(struct maker *m, uint32_t id, uint64_t value)
{
    tm_pb_put_varint(&m->out, id, value);
}

static inline void text(struct maker *m, uint32_t id, const char *s)
{
    tm_pb_put_str(&m->out, id, s);
}

/* Adds an entry of interned_data with an iid and a string. */
static inline void intern(struct maker *m, uint32_t field, uint64_t iid, const char *s)
{
    open_field(m, 12);
    open_field(m, field);
    number(m, 1, iid);
    text(m, 2, s);
    close_field(m);
    close_field(m);
}

static inline void clock_reading(struct maker *m, uint32_t clock, uint64_t value)
{
    open_field(m, 1);
    number(m, 1, clock);
    number(m, 2, value);
    close_field(m);
}

#endif
