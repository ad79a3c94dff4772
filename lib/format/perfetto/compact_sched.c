#include "format/perfetto/count.h"
#include "format/perfetto/sched.h"
#include "perfetto/compact_rows.h"

enum { STAGE_ROWS = 128 };

/* Rows that are collected by columns and added together. */
struct stage {
    uint32_t count;
    int64_t time_ns[STAGE_ROWS], pid[STAGE_ROWS], tid[STAGE_ROWS];
    uint64_t track[STAGE_ROWS], value[STAGE_ROWS];
    uint32_t kind[STAGE_ROWS], flags[STAGE_ROWS], name[STAGE_ROWS], category[STAGE_ROWS];
};

struct compact {
    struct tm_proto_kernels *kernels;
    struct tm_proto_rows *rows;
    struct tm_compact_reader *reader;
    struct tm_proto_cpu *cpu;
    struct tm_event switches, wakings; /* the latest row of each kind, and the columns that all rows share */
    struct stage *stage;
};

static enum tm_status send_stage(struct compact *c, struct tm_error *err)
{
    struct stage *s = c->stage;
    struct tm_batch_rows rows = {.count = s->count,
                                 .common = &c->switches,
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
    return rows.count ? tm_event_sink_add_rows(c->rows->sink, &rows, err) : TM_OK;
}

/* Adds ROW to the stage. A row with inline strings in its detail goes to the sink alone, after the stage's rows. */
static enum tm_status add_row(struct compact *c, struct tm_event *row, struct tm_error *err)
{
    struct stage *s = c->stage;
    if (s->count == STAGE_ROWS || c->rows->detail.len) {
        enum tm_status st = send_stage(c, err);
        if (st < 0 || c->rows->detail.len)
            return st < 0 ? st : tm_proto_add(c->rows, row, err);
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

/* Sets *STRING to the string number of name COMM of the table. An inline string goes into the detail. */
static enum tm_status comm_string(struct compact *c, uint32_t comm, uint32_t *string, struct tm_error *err)
{
    *string = ((const uint32_t *)(const void *)c->kernels->sched.comms.data)[comm];
    if (!(*string & TM_STRING_INLINE))
        return TM_OK;
    const struct tm_compact_comm *text = tm_compact_reader_comm(c->reader, comm);
    return tm_proto_string(c->rows, text->data, text->len, string, err);
}

/* Sets *STRING to the name of the task that ran, which is the category of a switch. */
static enum tm_status cpu_string(struct compact *c, uint32_t *string, struct tm_error *err)
{
    const struct tm_proto_cpu *cpu = c->cpu;
    *string = cpu->string;
    return cpu->known && cpu->string == 0 ? tm_proto_string(c->rows, cpu->comm, cpu->comm_len, string, err) : TM_OK;
}

static enum tm_status add_switch(struct compact *c, const struct tm_compact_event *e, struct tm_error *err)
{
    struct tm_event *row = &c->switches;
    struct tm_proto_cpu *cpu = c->cpu;
    const struct tm_compact_comm *comm = tm_compact_reader_comm(c->reader, e->comm);
    enum tm_status st = comm_string(c, e->comm, &row->name, err);
    if (st < 0 || (st = cpu_string(c, &row->category, err)) < 0)
        return st;
    if (cpu->known)
        row->flags |= TM_EVENT_HAS_TID;
    row->time_ns = (int64_t)e->time;
    row->tid = cpu->pid;
    row->pid = e->pid;
    row->value = tm_event_switch_value(e->state, e->prio, cpu->prio);
    row->track = e->state >> 31;
    tm_proto_cpu_run(cpu, e->pid, e->prio);
    tm_proto_cpu_name(cpu, row->name, comm->data, comm->len);
    return add_row(c, row, err);
}

static enum tm_status add_waking(struct compact *c, const struct tm_compact_event *e, struct tm_error *err)
{
    struct tm_event *row = &c->wakings;
    const struct tm_proto_cpu *cpu = c->cpu;
    enum tm_status st = comm_string(c, e->comm, &row->name, err);
    if (st < 0)
        return st;
    if (cpu->known)
        row->flags |= TM_EVENT_HAS_PID;
    row->time_ns = (int64_t)e->time;
    row->tid = e->pid;
    row->pid = cpu->pid;
    row->value = tm_event_waking_value(e->prio, e->target_cpu);
    row->track = e->state;
    return add_row(c, row, err);
}

static enum tm_status add_events(struct compact *c, const struct tm_event *common, struct tm_error *err)
{
    struct tm_compact_event e;
    enum tm_status st = TM_OK;
    const uint32_t flags = (common->flags & ~tm_event_raw_flags(TM_RAW_FTRACE_EVENT)) | TM_EVENT_HAS_VALUE |
                           tm_event_raw_flags(TM_RAW_COMPACT_SCHED) | tm_event_scope_flags(TM_SCOPE_CPU);
    c->kernels->sched.comms.len = 0;
    for (uint32_t i = 0; i < c->reader->comm_count; i++) {
        const struct tm_compact_comm *comm = tm_compact_reader_comm(c->reader, i);
        uint32_t string;
        st = tm_proto_string(c->rows, comm->data, comm->len, &string, err);
        c->rows->detail.len = 0;
        if (st >= 0 && tm_buf_add(&c->kernels->sched.comms, &string, sizeof string) != TM_OK)
            st = tm_error_nomem(err);
        if (st < 0)
            return st;
    }
    c->switches = c->wakings = *common;
    c->switches.kind = TM_KIND_SCHED_SWITCH;
    c->switches.flags = flags | TM_EVENT_HAS_PID;
    c->wakings.kind = TM_KIND_SCHED_WAKING;
    c->wakings.flags = flags | TM_EVENT_HAS_TID;
    tm_compact_reader_start(c->reader);
    while (st >= 0 && tm_compact_reader_next(c->reader, &e))
        st = e.is_waking ? add_waking(c, &e, err) : add_switch(c, &e, err);
    return st < 0 ? st : send_stage(c, err);
}

/* Adds the message as one row. The row has the columns of one switch that stands for all of its events. */
static enum tm_status add_whole(struct compact *c, const struct tm_pb_field *f, const struct tm_event *common,
                                const struct tm_compact_sum *sum, struct tm_error *err)
{
    struct tm_event row = *common;
    struct tm_proto_cpu *cpu = c->cpu;
    enum tm_status st = cpu_string(c, &row.category, err);
    row.kind = TM_KIND_COMPACT_SCHED;
    row.flags &= ~tm_event_raw_flags(TM_RAW_FTRACE_EVENT);
    row.flags |= tm_event_raw_flags(TM_RAW_COMPACT_MESSAGE) | tm_event_scope_flags(TM_SCOPE_CPU) | TM_EVENT_HAS_VALUE;
    row.flags |= (cpu->known ? TM_EVENT_HAS_TID : 0) | (sum->switches ? TM_EVENT_HAS_PID : 0);
    row.time_ns = sum->first_ns;
    row.dur_ns = sum->last_ns - sum->first_ns;
    row.tid = cpu->pid;
    row.pid = sum->pid;
    row.value = tm_event_switch_value(sum->count, sum->prio, cpu->prio);
    row.raw = f->data;
    row.raw_bytes = (uint32_t)f->len;
    if (st >= 0 && sum->switches) {
        const struct tm_compact_comm *comm = tm_compact_reader_comm(c->reader, sum->comm);
        st = tm_proto_string(c->rows, comm->data, comm->len, &row.name, err);
        tm_proto_cpu_run(cpu, sum->pid, sum->prio);
        tm_proto_cpu_name(cpu, row.name, comm->data, comm->len);
    }
    if (st < 0 || (st = tm_proto_add(c->rows, &row, err)) < 0)
        return st;
    tm_event_sink_stands_for(c->rows->sink, sum->count);
    return TM_OK;
}

enum tm_status tm_proto_compact_sched(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *row, struct tm_error *err)
{
    struct stage stage;
    struct compact c = {.kernels = kernels, .rows = rows, .reader = &kernels->sched.compact, .stage = &stage};
    struct tm_compact_sum sum;
    stage.count = 0;
    enum tm_status st = tm_proto_cpu_find(kernels, row->machine, row->cpu, &c.cpu, err);
    if (st < 0)
        return st;
    st = tm_compact_reader_open(c.reader, f->data, f->len);
    if (st < 0)
        return st == TM_E_SYSTEM ? tm_error_nomem(err) : tm_error_set(err, TM_E_INPUT, "damaged compact_sched");
    if (rows->sink->want_compact_messages && f->len <= TM_COMPACT_WHOLE_BYTES_MAX &&
        tm_compact_reader_sum(c.reader, &sum) && sum.count >= TM_COMPACT_WHOLE_MIN)
        return add_whole(&c, f, row, &sum, err);
    st = add_events(&c, row, err);
    if (st >= 0 && c.reader->damaged)
        st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_COMPACT_SCHED_ERRORS, row->machine, 1, err);
    return st;
}
