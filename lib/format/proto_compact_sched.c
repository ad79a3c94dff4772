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

/* The next number of each of COUNT columns from FIRST on (in the order of IDS); false at the end of
 * any of them. */
static bool next_numbers(struct compact *c, const uint8_t *ids, size_t count, uint64_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        struct column *column = &c->columns[ids[i]];
        if (column->at == column->end) {
            for (size_t j = 0; j < count; j++) /* they should all end here */
                c->damaged |= j < i || c->columns[ids[j]].at != c->columns[ids[j]].end;
            return false;
        }
        column->at = i ? tm_varint_get(column->at, column->end, &numbers[i])
                       : tm_varint_get_any(column->at, column->end, &numbers[i]); /* times are of all sizes */
        if (column->at == NULL) {
            column->at = column->end;
            c->damaged = true;
            return false;
        }
    }
    return true;
}

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

static enum tm_status add_switch(struct compact *c, struct tm_event *row, const uint64_t *n, const struct comm *comm,
                                 struct tm_error *err)
{
    struct tm_proto_cpu *cpu = c->cpu;
    enum tm_status st = comm_string(c, comm->string, comm->data, comm->len, &row->name, err);
    row->category = cpu->string;
    if (st >= 0 && cpu->known && cpu->string == 0)
        st = tm_proto_string(c->p, cpu->comm, cpu->comm_len, &row->category, err);
    if (st < 0)
        return st;
    row->kind = TM_KIND_SCHED_SWITCH;
    row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE | (cpu->known ? TM_EVENT_HAS_TID : 0);
    row->tid = cpu->pid;
    row->pid = i32(n[2]);
    row->value = tm_proto_switch_value(n[1], i32(n[3]), cpu->prio);
    row->track = n[1] >> 31;
    tm_proto_cpu_run(cpu, i32(n[2]), i32(n[3]));
    tm_proto_cpu_name(cpu, comm->string, comm->data, comm->len);
    return tm_proto_add(c->p, row, err);
}

static enum tm_status add_waking(struct compact *c, struct tm_event *row, const uint64_t *n, const struct comm *comm,
                                 struct tm_error *err)
{
    const struct tm_proto_cpu *cpu = c->cpu;
    struct column *flags = &c->columns[COMPACT_WAKING_FLAGS];
    uint64_t common_flags = 0;
    enum tm_status st = comm_string(c, comm->string, comm->data, comm->len, &row->name, err);
    if (st < 0)
        return st;
    if (flags->at != flags->end && (flags->at = tm_varint_get(flags->at, flags->end, &common_flags)) == NULL)
        flags->at = flags->end;
    row->kind = TM_KIND_SCHED_WAKING;
    row->flags |= TM_EVENT_HAS_TID | TM_EVENT_HAS_VALUE | (cpu->known ? TM_EVENT_HAS_PID : 0);
    row->tid = i32(n[1]);
    row->pid = cpu->pid;
    row->value = tm_proto_waking_value(i32(n[3]), i32(n[2]));
    row->track = common_flags;
    return tm_proto_add(c->p, row, err);
}

/* One kind of event of the bundle, walked in time. */
struct lane {
    uint8_t ids[5];  /* its columns: time first, name last */
    bool has;        /* numbers holds an event that is still to come */
    uint64_t time;
    uint64_t numbers[5];
    const struct comm *comm;
};

static void advance(struct compact *c, struct lane *lane)
{
    lane->has = next_numbers(c, lane->ids, 5, lane->numbers) && (lane->comm = comm_at(c, lane->numbers[4])) != NULL;
    if (lane->has)
        lane->time += lane->numbers[0];
}

/* Switches and wakings in order of time, as the waker is who runs at that moment. */
static enum tm_status add_events(struct compact *c, struct tm_error *err)
{
    struct lane switches = {.ids = {COMPACT_SWITCH_TIME, COMPACT_SWITCH_STATE, COMPACT_SWITCH_PID, COMPACT_SWITCH_PRIO,
                                    COMPACT_SWITCH_COMM}};
    struct lane wakings = {.ids = {COMPACT_WAKING_TIME, COMPACT_WAKING_PID, COMPACT_WAKING_CPU, COMPACT_WAKING_PRIO,
                                   COMPACT_WAKING_COMM}};
    enum tm_status st = TM_OK;
    advance(c, &switches);
    advance(c, &wakings);
    while (st >= 0 && (switches.has || wakings.has)) {
        bool waking = wakings.has && (!switches.has || wakings.time <= switches.time);
        struct lane *lane = waking ? &wakings : &switches;
        struct tm_event row = *c->row;
        row.time_ns = (int64_t)lane->time;
        row.flags = (row.flags & ~tm_event_raw_flags(TM_RAW_FTRACE_EVENT)) | tm_event_scope_flags(TM_SCOPE_CPU) |
                    tm_event_raw_flags(TM_RAW_COMPACT_SCHED);
        st = waking ? add_waking(c, &row, lane->numbers, lane->comm, err)
                    : add_switch(c, &row, lane->numbers, lane->comm, err);
        advance(c, lane);
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
