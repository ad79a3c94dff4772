#include "format/perfetto/ftrace_event.h"

#include "format/perfetto/count.h"
#include "kernel/ftrace_fields.h"
#include "kernel/ftrace_names.h"
#include "format/perfetto/sched.h"
#include "format/perfetto/sequence.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/detail_fields.h"

static int64_t i32(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

static enum tm_status fill_task(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                struct tm_error *err)
{
    struct tm_proto_event_fields m;
    tm_proto_event_fields_read(&m, f);
    switch (f->id) {
    case TM_FTRACE_EVENT_TASK_NEWTASK:
        row->kind = TM_KIND_TASK_NEW;
        row->pid = row->tid;
        row->tid = i32(m.number[TM_TASK_NEW_PID]);
        row->value = m.number[TM_TASK_NEW_CLONE_FLAGS];
        row->flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_VALUE;
        return tm_proto_string(rows, m.text[TM_TASK_NEW_COMM], m.len[TM_TASK_NEW_COMM], &row->name, err);
    case TM_FTRACE_EVENT_TASK_RENAME:
        row->kind = TM_KIND_TASK_RENAME;
        row->tid = i32(m.number[TM_TASK_RENAME_PID]);
        return tm_proto_string(rows, m.text[TM_TASK_RENAME_COMM], m.len[TM_TASK_RENAME_COMM], &row->name, err);
    default:
        row->kind = TM_KIND_PROCESS_EXIT;
        row->tid = i32(m.number[TM_PROCESS_FREE_PID]);
        return TM_OK;
    }
}

static enum tm_status set_name(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                               struct tm_error *err)
{
    const char *name = tm_ftrace_event_name(f->id);
    struct tm_proto_event_fields m;
    if (f->id == TM_FTRACE_EVENT_GENERIC) {
        tm_proto_event_fields_read(&m, f);
        return tm_proto_string(rows, m.text[TM_GENERIC_EVENT_NAME], m.len[TM_GENERIC_EVENT_NAME], &row->name, err);
    }
    return name ? tm_proto_string(rows, name, strlen(name), &row->name, err) : TM_OK;
}

/* Fills the row by the kind of the event. */
static enum tm_status fill(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                           struct tm_event *row, struct tm_error *err)
{
    struct tm_proto_rows *rows = bundle->rows;
    if (f->id >= TM_PROTO_GENERIC_FIRST)
        return tm_proto_ftrace_generic(bundle, f, row, err);
    switch (f->id) {
    case TM_FTRACE_EVENT_SCHED_SWITCH: return tm_proto_sched_switch(bundle->kernels, rows, f, row, err);
    case TM_FTRACE_EVENT_SCHED_WAKING: return tm_proto_sched_waking(rows, f, row, err);
    case TM_FTRACE_EVENT_TASK_NEWTASK:
    case TM_FTRACE_EVENT_TASK_RENAME:
    case TM_FTRACE_EVENT_SCHED_PROCESS_FREE: return fill_task(rows, f, row, err);
    default: {
        enum tm_status st = tm_proto_ftrace_slice(bundle, f, row, err);
        if (st == TM_END)
            st = tm_proto_ftrace_mark(rows, f, row, err);
        if (st != TM_END)
            return st;
        row->kind = TM_KIND_FTRACE;
        return set_name(rows, f, row, err);
    }
    }
}

/* An event without a pid gets only its name; the reference importer ignores it. */
static enum tm_status fill_without_task(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                        struct tm_error *err)
{
    row->kind = TM_KIND_FTRACE;
    return set_name(rows, f, row, err);
}

/* Puts the kernel function that the event in F names by the number of a symbol. */
static enum tm_status put_function(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                   struct tm_error *err)
{
    const uint32_t field = tm_ftrace_function_field(f->id);
    struct tm_pb_field text;
    struct tm_proto_event_fields fields;
    if (field == 0 || !bundle->rows->sink->want_packet_args)
        return TM_OK;
    tm_proto_event_fields_read(&fields, f);
    text = tm_proto_interned_text(bundle->packet->sequence, TM_INTERNED_KERNEL_SYMBOLS, fields.number[field]);
    if (text.data == NULL)
        return TM_OK;
    return tm_pb_put_bytes(&bundle->rows->detail, TM_DETAIL_KERNEL_FUNCTION, text.data, text.len) < 0
               ? tm_error_nomem(err)
               : TM_OK;
}

static enum tm_status damaged(struct tm_proto_rows *rows, const struct tm_event *common,
                              const struct tm_proto_packet *packet, struct tm_error *err)
{
    enum tm_status st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_FTRACE_ERRORS, packet->machine, 1, err);
    return st < 0 ? st : tm_proto_count_account(&rows->counts, TM_DROP_DAMAGED, common->clock, packet->byte, err);
}

/* True for an event of firmware that should state its own time and does not. */
static bool lacks_own_time(const struct tm_pb_field *f)
{
    const uint32_t time = tm_ftrace_own_time(f->id);
    struct tm_proto_event_fields fields;
    if (time == 0)
        return false;
    tm_proto_event_fields_read(&fields, f);
    return !fields.has[time];
}

enum tm_status tm_proto_ftrace_event(const struct tm_proto_ftrace_bundle *bundle, const struct tm_pb_field *f,
                                     const struct tm_event *common, struct tm_error *err)
{
    struct tm_proto_rows *rows = bundle->rows;
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field, what = {0};
    struct tm_event row = *common;
    bool has_time = false;
    enum tm_status st;
    while ((st = tm_pb_next(&pb, &field)) == TM_OK) {
        if (field.id == TM_FTRACE_EVENT_TIMESTAMP && field.type == TM_PB_VARINT) {
            has_time = true;
            row.time_ns = (int64_t)field.value;
        } else if (field.id == TM_FTRACE_EVENT_PID && field.type == TM_PB_VARINT) {
            row.tid = (int64_t)(uint32_t)field.value;
            row.flags |= TM_EVENT_HAS_TID;
        } else if (field.type == TM_PB_LEN && what.id == 0) {
            what = field;
        }
    }
    if (!has_time || (st != TM_END && what.id == 0) || lacks_own_time(&what))
        return damaged(rows, common, bundle->packet, err);
    row.raw = f->data;
    row.raw_bytes = (uint32_t)f->len;
    if (tm_proto_ftrace_is_of_hypervisor(what.id)) /* without a pid it belongs to the idle task */
        row.flags |= TM_EVENT_HAS_TID;
    st = row.flags & TM_EVENT_HAS_TID ? fill(bundle, &what, &row, err) : fill_without_task(rows, &what, &row, err);
    if (st >= 0)
        st = put_function(bundle, &what, err);
    if (tm_event_scope(row.flags) == TM_SCOPE_GLOBAL && row.kind != TM_KIND_COUNTER && row.kind != TM_KIND_KERNEL &&
        !(row.flags & TM_EVENT_HAS_TRACK))
        row.flags |= tm_event_scope_flags(TM_SCOPE_CPU);
    if (st >= 0)
        st = what.id == TM_FTRACE_EVENT_GPU_WORK_PERIOD ? tm_proto_add_with_times(rows, &row, row.clock, err)
             : tm_ftrace_own_time(what.id)              ? tm_proto_add_with_times(rows, &row, 0, err)
                                                        : tm_proto_add(rows, &row, err);
    return st < 0 ? st : tm_proto_ftrace_derive(bundle, &what, &row, err);
}
