#include "base/varints.h"
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

enum { STAGE_ROWS = 128 };

/* Rows on their way to the sink, which takes them column by column. */
struct stage {
    uint32_t count;
    int64_t time_ns[STAGE_ROWS], pid[STAGE_ROWS], tid[STAGE_ROWS];
    uint64_t track[STAGE_ROWS], value[STAGE_ROWS];
    uint32_t kind[STAGE_ROWS], flags[STAGE_ROWS], name[STAGE_ROWS], category[STAGE_ROWS];
};

struct compact {
    struct tm_proto *p;
    const struct tm_event *row; /* what all rows have in common */
    struct tm_proto_cpu *cpu;
    struct column columns[COMPACT_FIELDS];
    bool damaged;
    struct stage *stage;
};

static enum tm_status send_stage(struct compact *c, struct tm_error *err)
{
    struct stage *s = c->stage;
    struct tm_batch_rows rows = {.count = s->count,
                                 .common = c->row,
                                 .columns = {[TM_COL_TIME_NS] = s->time_ns,
                                             [TM_COL_KIND] = s->kind,
                                             [TM_COL_FLAGS] = s->flags,
                                             [TM_COL_NAME] = s->name,
                                             [TM_COL_CATEGORY] = s->category,
                                             [TM_COL_PID] = s->pid,
                                             [TM_COL_TID] = s->tid,
                                             [TM_COL_TRACK] = s->track,
                                             [TM_COL_VALUE] = s->value}};
    s->count = 0;
    return rows.count ? tm_event_sink_add_rows(c->p->sink, &rows, err) : TM_OK;
}

/* ROW, and the strings that travel with it. */
static enum tm_status add_row(struct compact *c, struct tm_event *row, struct tm_error *err)
{
    struct stage *s = c->stage;
    if (s->count == STAGE_ROWS || c->p->detail.len) {
        enum tm_status st = send_stage(c, err);
        if (st < 0 || c->p->detail.len)
            return st < 0 ? st : tm_proto_add(c->p, row, err);
    }
    uint32_t i = s->count++;
    s->time_ns[i] = row->time_ns;
    s->kind[i] = row->kind;
    s->flags[i] = row->flags;
    s->name[i] = row->name;
    s->category[i] = row->category;
    s->pid[i] = row->pid;
    s->tid[i] = row->tid;
    s->track[i] = row->track;
    s->value[i] = row->value;
    return TM_OK;
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

/* Reads the next numbers of all columns, which should end together. */
static void read_tile(struct compact *c, struct lane *lane)
{
    lane->at = 0;
    lane->count = lane->is_last ? 0 : LANE_TILE;
    for (int i = 0; i < LANE_COLUMNS && !lane->is_last; i++) {
        struct column *column = &c->columns[lane->ids[i]];
        uint64_t *numbers = lane->numbers + (size_t)i * LANE_TILE;
        uint32_t n = tm_varints_read(&column->at, column->end, numbers, LANE_TILE, &c->damaged);
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
    return add_row(c, row, err);
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
    return add_row(c, row, err);
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
    return st < 0 ? st : send_stage(c, err);
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
    struct stage stage;
    struct compact c = {.p = p, .row = row, .stage = &stage};
    stage.count = 0;
    enum tm_status st = tm_proto_cpu_find(p, row->machine, row->cpu, &c.cpu, err);
    if (st >= 0)
        st = read_columns(&c, f, err);
    if (st >= 0)
        st = add_events(&c, err);
    if (st >= 0 && c.damaged)
        st = tm_proto_count_stat(p, TM_PROTO_STAT_COMPACT_SCHED_ERRORS, row->machine, 1, err);
    return st;
}
