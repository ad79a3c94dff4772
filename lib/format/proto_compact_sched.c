#include "format/proto_count.h"
#include "format/proto_sched.h"

enum {
    COMPACT_SWITCH_TIME = 1,
    COMPACT_SWITCH_STATE = 2,
    COMPACT_SWITCH_PID = 3,
    COMPACT_SWITCH_PRIO = 4,
    COMPACT_COMMS = 5,
    COMPACT_SWITCH_COMM = 6,
    COMPACT_WAKING_TIME = 7,
    COMPACT_WAKING_PID = 8,
    COMPACT_WAKING_CPU = 9,
    COMPACT_WAKING_PRIO = 10,
    COMPACT_WAKING_COMM = 11,
    COMPACT_WAKING_FLAGS = 12,
    COMPACT_FIELDS = 13
};

/* One packed column being read. */
struct column {
    const uint8_t *at, *end;
};

struct compact {
    struct tm_proto *p;
    const struct tm_event *row;
    struct tm_proto_cpu *cpu;
    struct column columns[COMPACT_FIELDS];
    bool damaged;
};

/* A string of the intern table: its number and its bytes. */
struct comm {
    uint32_t string;
    uint32_t len;
    const uint8_t *data;
};

static const struct comm *comm_at(struct compact *c, uint64_t index)
{
    if (index < c->p->comms.len / sizeof(struct comm))
        return (const struct comm *)(const void *)c->p->comms.data + index;
    c->damaged = true;
    return NULL;
}

/* Its number; a string that travels with its event is put into the detail of this one. */
static enum tm_status comm_string(struct compact *c, uint32_t known, const uint8_t *data, size_t len, uint32_t *string,
                                  struct tm_error *err)
{
    *string = known;
    return known & TM_STRING_INLINE ? tm_proto_string(c->p, data, len, string, err) : TM_OK;
}

static int32_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

enum { LANE_COLUMNS = 5, LANE_TILE = 128 };

/* One kind of event of the bundle, walked in time. */
struct lane {
    uint8_t ids[LANE_COLUMNS]; /* its columns: time first, name last */
    struct tm_event row;       /* what its events have in common, and what the last one had */
    bool has;                  /* there is an event that is still to come: */
    uint64_t time;
    const uint64_t *n; /* its other numbers, LANE_TILE apart */
    const struct comm *comm;
    /* Numbers of some hundred events are read at once, column by column. */
    uint32_t at, count;
    bool is_last; /* what is behind them is damaged */
    uint64_t numbers[LANE_COLUMNS * LANE_TILE];
};

static inline void widen_bytes(uint64_t *restrict numbers, const uint8_t *restrict bytes)
{
    for (int i = 0; i < 8; i++)
        numbers[i] = bytes[i];
}

/* Reads as many numbers of COLUMN as there are, up to LANE_TILE; eight at once where each is a byte. */
static uint32_t read_numbers(struct compact *c, struct column *column, uint64_t *numbers)
{
    const uint64_t highest = UINT64_C(0x8080808080808080);
    const uint8_t *p = column->at, *end = column->end;
    uint32_t n = 0;
    while (n <= LANE_TILE - 8 && end - p >= 8) {
        uint64_t x = tm_get_le64(p), more = x & highest;
        if (more == 0) {
            widen_bytes(numbers + n, p);
            p += 8;
            n += 8;
            continue;
        }
        if (more == highest)
            break;
        unsigned len = tm_trailing_zeros(more ^ highest) / 8 + 1;
        numbers[n++] = tm_varint_join(x, len);
        p += len;
    }
    for (; n < LANE_TILE && p != end; n++) {
        if ((p = tm_varint_get_any(p, end, &numbers[n])) == NULL) {
            p = end;
            c->damaged = true;
            break;
        }
    }
    column->at = p;
    return n;
}

/* Reads the next numbers of all columns, which should end together. */
static void read_tile(struct compact *c, struct lane *lane)
{
    lane->at = 0;
    lane->count = lane->is_last ? 0 : LANE_TILE;
    for (int i = 0; i < LANE_COLUMNS && !lane->is_last; i++) {
        uint32_t n = read_numbers(c, &c->columns[lane->ids[i]], lane->numbers + (size_t)i * LANE_TILE);
        if (i > 0 && n != lane->count)
            c->damaged = true;
        lane->count = n < lane->count ? n : lane->count;
    }
    lane->is_last |= lane->count < LANE_TILE;
}

static void advance(struct compact *c, struct lane *lane)
{
    if (lane->at == lane->count)
        read_tile(c, lane);
    lane->n = lane->numbers + lane->at;
    lane->has = lane->at++ < lane->count && (lane->comm = comm_at(c, lane->n[(LANE_COLUMNS - 1) * LANE_TILE])) != NULL;
    if (lane->has)
        lane->time += lane->n[0];
}

static enum tm_status add_switch(struct compact *c, struct lane *lane, struct tm_error *err)
{
    struct tm_event *row = &lane->row;
    struct tm_proto_cpu *cpu = c->cpu;
    const struct comm *comm = lane->comm;
    const uint64_t *n = lane->n;
    enum tm_status st = comm_string(c, comm->string, comm->data, comm->len, &row->name, err);
    row->category = cpu->string;
    if (st >= 0 && cpu->known && cpu->string == 0)
        st = tm_proto_string(c->p, cpu->comm, cpu->comm_len, &row->category, err);
    if (st < 0)
        return st;
    if (cpu->known)
        row->flags |= TM_EVENT_HAS_TID;
    row->time_ns = (int64_t)lane->time;
    row->tid = cpu->pid;
    row->pid = i32(n[2 * LANE_TILE]);
    row->value = tm_proto_switch_value(n[LANE_TILE], i32(n[3 * LANE_TILE]), cpu->prio);
    row->track = n[LANE_TILE] >> 31;
    tm_proto_cpu_run(cpu, i32(n[2 * LANE_TILE]), i32(n[3 * LANE_TILE]));
    tm_proto_cpu_name(cpu, comm->string, comm->data, comm->len);
    return tm_proto_add(c->p, row, err);
}

static enum tm_status add_waking(struct compact *c, struct lane *lane, struct tm_error *err)
{
    struct tm_event *row = &lane->row;
    const struct tm_proto_cpu *cpu = c->cpu;
    const struct comm *comm = lane->comm;
    const uint64_t *n = lane->n;
    struct column *flags = &c->columns[COMPACT_WAKING_FLAGS];
    uint64_t common_flags = 0;
    enum tm_status st = comm_string(c, comm->string, comm->data, comm->len, &row->name, err);
    if (st < 0)
        return st;
    if (flags->at != flags->end && (flags->at = tm_varint_get(flags->at, flags->end, &common_flags)) == NULL)
        flags->at = flags->end;
    if (cpu->known)
        row->flags |= TM_EVENT_HAS_PID;
    row->time_ns = (int64_t)lane->time;
    row->tid = i32(n[LANE_TILE]);
    row->pid = cpu->pid;
    row->value = tm_proto_waking_value(i32(n[3 * LANE_TILE]), i32(n[2 * LANE_TILE]));
    row->track = common_flags;
    return tm_proto_add(c->p, row, err);
}

/* LANE is of events of KIND and begins before its first one. */
static void begin_lane(struct compact *c, struct lane *lane, enum tm_kind kind, const uint8_t *ids)
{
    memcpy(lane->ids, ids, LANE_COLUMNS);
    lane->row = *c->row;
    lane->row.kind = kind;
    lane->row.flags &= ~tm_event_raw_flags(TM_RAW_FTRACE_EVENT);
    lane->row.flags |= tm_event_scope_flags(TM_SCOPE_CPU) | tm_event_raw_flags(TM_RAW_COMPACT_SCHED) | TM_EVENT_HAS_VALUE |
                       (kind == TM_KIND_SCHED_SWITCH ? TM_EVENT_HAS_PID : TM_EVENT_HAS_TID);
    lane->time = 0;
    lane->at = lane->count = 0;
    lane->is_last = false;
    advance(c, lane);
}

/* Switches and wakings in order of time, as the waker is who runs at that moment. */
static enum tm_status add_events(struct compact *c, struct tm_error *err)
{
    static const uint8_t switch_ids[LANE_COLUMNS] = {COMPACT_SWITCH_TIME, COMPACT_SWITCH_STATE, COMPACT_SWITCH_PID,
                                                     COMPACT_SWITCH_PRIO, COMPACT_SWITCH_COMM};
    static const uint8_t waking_ids[LANE_COLUMNS] = {COMPACT_WAKING_TIME, COMPACT_WAKING_PID, COMPACT_WAKING_CPU,
                                                     COMPACT_WAKING_PRIO, COMPACT_WAKING_COMM};
    struct lane switches, wakings;
    enum tm_status st = TM_OK;
    begin_lane(c, &switches, TM_KIND_SCHED_SWITCH, switch_ids);
    begin_lane(c, &wakings, TM_KIND_SCHED_WAKING, waking_ids);
    while (st >= 0 && (switches.has || wakings.has)) {
        bool waking = wakings.has && (!switches.has || wakings.time <= switches.time);
        st = waking ? add_waking(c, &wakings, err) : add_switch(c, &switches, err);
        advance(c, waking ? &wakings : &switches);
    }
    return st;
}

static enum tm_status read_columns(struct compact *c, const struct tm_pb_field *message, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st;
    c->p->comms.len = 0;
    while ((st = tm_pb_next(&pb, &f)) == TM_OK) {
        if (f.type != TM_PB_LEN || f.id >= COMPACT_FIELDS)
            continue;
        if (f.id != COMPACT_COMMS) {
            c->columns[f.id] = (struct column){f.data, f.data + f.len};
            continue;
        }
        struct comm comm = {.len = (uint32_t)f.len, .data = f.data};
        st = tm_proto_string(c->p, f.data, f.len, &comm.string, err);
        c->p->detail.len = 0;
        if (st >= 0 && tm_buf_add(&c->p->comms, &comm, sizeof comm) != TM_OK)
            st = tm_error_nomem(err);
        if (st < 0)
            return st;
    }
    return st == TM_END ? TM_OK : tm_error_set(err, TM_E_INPUT, "damaged compact_sched");
}

enum tm_status tm_proto_compact_sched(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *row,
                                      struct tm_error *err)
{
    struct compact c = {.p = p, .row = row};
    enum tm_status st = tm_proto_cpu_find(p, row->machine, row->cpu, &c.cpu, err);
    if (st >= 0)
        st = read_columns(&c, f, err);
    if (st >= 0)
        st = add_events(&c, err);
    if (st >= 0 && c.damaged)
        st = tm_proto_count_stat(p, TM_PROTO_STAT_COMPACT_SCHED_ERRORS, row->machine, 1, err);
    return st;
}
