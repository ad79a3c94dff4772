#include "emit/perfetto/compact_sched.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/pb.h"

#include <stdlib.h>
#include <string.h>

enum { COMMS = 5 };

/* field numbers of the columns; times are first */
static const uint8_t switch_fields[] = {1, 2, 3, 4, 6}; /* time, prev_state, next_pid, next_prio, name */
static const uint8_t waking_fields[] = {7, 8, 9, 10, 11, 12}; /* time, pid, target_cpu, prio, name, common_flags */

/* A name and the number by which it is looked up. */
struct name {
    struct tm_text text;
    uint32_t string;
};

/* Gives NAME the next number, and stores it in SLOT. */
static enum tm_status add_name(struct tm_compact_sched *c, struct name name, struct tm_compact_slot *slot,
                               uint32_t *number, struct tm_error *err)
{
    uint32_t at = (uint32_t)c->comms.len;
    const uint8_t *bytes = name.text.data ? name.text.data : (const uint8_t *)"";
    if (tm_pb_put_bytes(&c->comms, COMMS, bytes, name.text.len) != TM_OK)
        return tm_error_nomem(err);
    *number = c->comm_count++;
    *slot = (struct tm_compact_slot){name.string, c->comm_count, at};
    return TM_OK;
}

static bool slot_is(const struct tm_compact_sched *c, const struct tm_compact_slot *slot, struct tm_text name)
{
    struct tm_pb pb = tm_pb_of(c->comms.data + slot->at, c->comms.len - slot->at);
    struct tm_pb_field f;
    return tm_pb_next(&pb, &f) == TM_OK && f.len == name.len && (f.len == 0 || memcmp(f.data, name.data, f.len) == 0);
}

/* Finds the number of a name that travels with its event, by its text. */
static enum tm_status intern_text(struct tm_compact_sched *c, const struct tm_event *e,
                                  const struct tm_catalog *catalog, uint32_t *number, struct tm_error *err)
{
    struct tm_text name = tm_catalog_string(catalog, e->name, e);
    uint32_t string = TM_STRING_INLINE | (uint32_t)tm_hash64(name.len ? name.data : (const uint8_t *)"", name.len);
    uint32_t at = string % TM_COMPACT_SLOTS;
    while (c->slots[at].number && (c->slots[at].string != string || !slot_is(c, &c->slots[at], name)))
        at = (at + 1) % TM_COMPACT_SLOTS;
    if (c->slots[at].number == 0)
        return add_name(c, (struct name){name, string}, &c->slots[at], number, err);
    *number = c->slots[at].number - 1;
    return TM_OK;
}

static inline enum tm_status intern(struct tm_compact_sched *c, const struct tm_event *e,
                                    const struct tm_catalog *catalog, uint32_t *number, struct tm_error *err)
{
    uint32_t at = e->name % TM_COMPACT_SLOTS; /* numbers of strings are consecutive */
    if (e->name & TM_STRING_INLINE)
        return intern_text(c, e, catalog, number, err);
    while (c->slots[at].number && c->slots[at].string != e->name)
        at = (at + 1) % TM_COMPACT_SLOTS;
    if (c->slots[at].number == 0)
        return add_name(c, (struct name){tm_catalog_string(catalog, e->name, e), e->name}, &c->slots[at], number, err);
    *number = c->slots[at].number - 1;
    return TM_OK;
}

static enum tm_status make_lane(struct tm_compact_lane *lane, size_t columns, struct tm_error *err)
{
    lane->values = malloc(columns * TM_COMPACT_EVENTS_MAX * sizeof *lane->values);
    return lane->values ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_compact_sched_switch(struct tm_compact_sched *c, const struct tm_event *e, uint64_t state,
                                       const struct tm_catalog *catalog, struct tm_error *err)
{
    enum { STATE = TM_COMPACT_EVENTS_MAX, PID = 2 * STATE, PRIO = 3 * STATE, COMM = 4 * STATE };
    struct tm_compact_lane *lane = &c->switches;
    uint32_t comm;
    enum tm_status st = lane->values ? TM_OK : make_lane(lane, sizeof switch_fields, err);
    if (st < 0 || (st = intern(c, e, catalog, &comm, err)) < 0)
        return st;
    int64_t *value = lane->values + lane->count++;
    value[0] = e->time_ns;
    value[STATE] = (int64_t)state;
    value[PID] = (int32_t)e->pid;
    value[PRIO] = (int16_t)(e->value >> 32);
    value[COMM] = comm;
    return TM_OK;
}

enum tm_status tm_compact_sched_waking(struct tm_compact_sched *c, const struct tm_event *e,
                                       const struct tm_catalog *catalog, struct tm_error *err)
{
    enum { PID = TM_COMPACT_EVENTS_MAX, CPU = 2 * PID, PRIO = 3 * PID, COMM = 4 * PID, COMMON_FLAGS = 5 * PID };
    struct tm_compact_lane *lane = &c->wakings;
    uint32_t comm;
    enum tm_status st = lane->values ? TM_OK : make_lane(lane, sizeof waking_fields, err);
    if (st < 0 || (st = intern(c, e, catalog, &comm, err)) < 0)
        return st;
    int64_t *value = lane->values + lane->count++;
    value[0] = e->time_ns;
    value[PID] = (int32_t)e->tid;
    value[CPU] = tm_event_waking_cpu(e);
    value[PRIO] = (int32_t)e->value;
    value[COMM] = comm;
    value[COMMON_FLAGS] = (int64_t)(e->track & UINT32_MAX);
    return TM_OK;
}

/* Writes COUNT values as varints to TO, which has room for any, and returns the byte after them. The position of a
 * varint depends on the one before. So columns of small numbers, the usual case, are written by code for only two
 * sizes. */
static uint8_t *put_values(uint8_t *to, const int64_t *values, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= (uint64_t)values[i];
    if (bits < 1 << 7) { /* states, priorities, names */
        for (uint32_t i = 0; i < count; i++)
            to[i] = (uint8_t)values[i];
        return to + count;
    }
    for (uint32_t i = 0; i < count; i++)
        to = bits < 1 << 14 ? tm_varint_put_two(to, (uint64_t)values[i]) : tm_varint_put_over(to, (uint64_t)values[i]);
    return to;
}

/* Writes times: the first one, then the differences. */
static uint8_t *put_times(uint8_t *to, const int64_t *times, uint32_t count)
{
    int64_t steps[TM_COMPACT_EVENTS_MAX];
    for (uint32_t i = 1; i < count; i++)
        steps[i] = (int64_t)((uint64_t)times[i] - (uint64_t)times[i - 1]);
    return put_values(tm_varint_put(to, (uint64_t)times[0]), steps + 1, count - 1);
}

/* Writes the columns of LANE, times first, as packed fields. */
static bool put_lane(struct tm_buf *out, const struct tm_compact_lane *lane, const uint8_t *fields, size_t columns)
{
    uint8_t bytes[TM_COMPACT_EVENTS_MAX * TM_VARINT_MAX];
    bool good = true;
    for (size_t c = 0; c < columns && lane->count; c++) {
        const int64_t *values = lane->values + c * TM_COMPACT_EVENTS_MAX;
        const uint8_t *end = c == 0 ? put_times(bytes, values, lane->count) : put_values(bytes, values, lane->count);
        good = good && tm_pb_put_bytes(out, fields[c], bytes, (size_t)(end - bytes)) == TM_OK;
    }
    return good;
}

enum tm_status tm_compact_sched_write(struct tm_compact_sched *c, struct tm_buf *out, uint32_t id, struct tm_error *err)
{
    size_t mark;
    if (tm_pb_begin(out, id, &mark) != TM_OK || tm_buf_add(out, c->comms.data, c->comms.len) != TM_OK ||
        !put_lane(out, &c->switches, switch_fields, sizeof switch_fields) ||
        !put_lane(out, &c->wakings, waking_fields, sizeof waking_fields) || tm_pb_end(out, mark) != TM_OK)
        return tm_error_nomem(err);
    c->switches.count = c->wakings.count = c->comm_count = 0;
    tm_buf_clear(&c->comms);
    memset(c->slots, 0, sizeof c->slots);
    return TM_OK;
}

void tm_compact_sched_release(struct tm_compact_sched *c)
{
    free(c->switches.values);
    free(c->wakings.values);
    tm_buf_release(&c->comms);
}
