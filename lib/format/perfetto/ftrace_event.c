#include "format/perfetto/ftrace_event.h"

#include "format/perfetto/count.h"
#include "kernel/ftrace_names.h"
#include "format/perfetto/sched.h"

/* FtraceEvent */
enum {
    EVENT_TIMESTAMP = 1,
    EVENT_PID = 2,
    EVENT_SCHED_SWITCH = 4,
    EVENT_SCHED_WAKING = 20,
    EVENT_TASK_NEW = 235,
    EVENT_TASK_RENAME = 236,
    EVENT_PROCESS_FREE = 240,
    EVENT_GENERIC = 327,
    EVENT_GPU_WORK_PERIOD = 488
};

enum { TASK_NEW_PID = 1, TASK_NEW_COMM = 2, TASK_NEW_FLAGS = 3 };
enum { RENAME_PID = 1, RENAME_COMM = 3 };
enum { FREE_PID = 2 };
enum { GENERIC_NAME = 1 };

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static enum tm_status fill_task(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                struct tm_error *err)
{
    struct tm_proto_event_fields m;
    tm_proto_event_fields_read(&m, f);
    switch (f->id) {
    case EVENT_TASK_NEW:
        row->kind = TM_KIND_TASK_NEW;
        row->pid = row->tid;
        row->tid = i32(m.number[TASK_NEW_PID]);
        row->value = m.number[TASK_NEW_FLAGS];
        row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE;
        return tm_proto_string(p, m.text[TASK_NEW_COMM], m.len[TASK_NEW_COMM], &row->name, err);
    case EVENT_TASK_RENAME:
        row->kind = TM_KIND_TASK_RENAME;
        row->tid = i32(m.number[RENAME_PID]);
        return tm_proto_string(p, m.text[RENAME_COMM], m.len[RENAME_COMM], &row->name, err);
    default:
        row->kind = TM_KIND_PROCESS_EXIT;
        row->tid = i32(m.number[FREE_PID]);
        return TM_OK;
    }
}

static enum tm_status set_name(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                               struct tm_error *err)
{
    const char *name = tm_ftrace_event_name(f->id);
    struct tm_proto_event_fields m;
    if (f->id == EVENT_GENERIC) {
        tm_proto_event_fields_read(&m, f);
        return tm_proto_string(p, m.text[GENERIC_NAME], m.len[GENERIC_NAME], &row->name, err);
    }
    return name ? tm_proto_string(p, name, strlen(name), &row->name, err) : TM_OK;
}

/* Fills the row by the kind of the event. */
static enum tm_status fill(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_proto_packet *packet,
                           struct tm_event *row, struct tm_error *err)
{
    switch (f->id) {
    case EVENT_SCHED_SWITCH:
        return tm_proto_sched_switch(p, f, row, err);
    case EVENT_SCHED_WAKING:
        return tm_proto_sched_waking(p, f, row, err);
    case EVENT_TASK_NEW:
    case EVENT_TASK_RENAME:
    case EVENT_PROCESS_FREE:
        return fill_task(p, f, row, err);
    default: {
        enum tm_status st = tm_proto_ftrace_slice(p, f, packet, row, err);
        if (st == TM_END)
            st = tm_proto_ftrace_mark(p, f, row, err);
        if (st != TM_END)
            return st;
        row->kind = TM_KIND_FTRACE;
        return set_name(p, f, row, err);
    }
    }
}

/* An event without a pid gets only its name; the reference importer ignores it. */
static enum tm_status fill_untold(struct tm_proto *p, const struct tm_pb_field *f, struct tm_event *row,
                                  struct tm_error *err)
{
    row->kind = TM_KIND_FTRACE;
    return set_name(p, f, row, err);
}

static enum tm_status damaged(struct tm_proto *p, const struct tm_event *common, const struct tm_proto_packet *packet,
                              struct tm_error *err)
{
    enum tm_status st = tm_proto_count_stat(&p->counts, TM_PROTO_STAT_FTRACE_ERRORS, packet->machine, 1, err);
    return st < 0 ? st : tm_proto_count_account(&p->counts, TM_DROP_DAMAGED, common->clock, packet->byte, err);
}

enum tm_status tm_proto_ftrace_event(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *common,
                                     const struct tm_proto_packet *packet, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field, what = {0};
    struct tm_event row = *common;
    bool has_time = false;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &field)) == TM_OK) {
        if (field.id == EVENT_TIMESTAMP && field.type == TM_PB_VARINT) {
            has_time = true;
            row.time_ns = (int64_t)field.value;
        } else if (field.id == EVENT_PID && field.type == TM_PB_VARINT) {
            row.tid = (int64_t)(uint32_t)field.value;
            row.flags |= TM_EVENT_HAS_TID;
        } else if (field.type == TM_PB_LEN && what.id == 0) {
            what = field;
        }
    }
    if (!has_time || (st != TM_END && what.id == 0))
        return damaged(p, common, packet, err);
    row.raw = f->data;
    row.raw_bytes = (uint32_t)f->len;
    st = row.flags & TM_EVENT_HAS_TID ? fill(p, &what, packet, &row, err) : fill_untold(p, &what, &row, err);
    if (tm_event_scope(row.flags) == TM_SCOPE_GLOBAL && row.kind != TM_KIND_COUNTER && row.kind != TM_KIND_KERNEL &&
        !(row.flags & TM_EVENT_HAS_TRACK))
        row.flags |= tm_event_scope_flags(TM_SCOPE_CPU);
    if (st >= 0)
        st = what.id == EVENT_GPU_WORK_PERIOD ? tm_proto_add_with_times(p, &row, row.clock, err)
                                              : tm_proto_add(p, &row, err);
    return st < 0 ? st : tm_proto_ftrace_derive(p, &what, packet, &row, err);
}
