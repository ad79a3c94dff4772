/* Rows of ftrace_event: the kernel's events of protos as recorded, with their fields as args. */
#include "model/internal.h"

#include "kernel/ftrace_fields.h"
#include "kernel/ftrace_names.h"
#include "kernel/sched_state.h"
#include "perfetto/ftrace_event_fields.h"
#include "stream/detail_arg.h"

/* The first number of a source of args; for other events the number of the field that they are in FtraceEvent. */
enum { SWITCH = INT32_MAX - 2, SWITCH_OF_TEXT, WAKING };

/* A decoded event. Its args are in tm_model_output.args, unless an event with the same args had SET. */
struct decoded {
    struct tm_text name;
    int64_t tid;
    uint32_t function_field; /* its number is that of a kernel function; 0: none */
    struct tm_text function; /* no data: not known */
    bool is_recalled;
    int64_t set;
    struct tm_arg_sets_note note; /* notes the tid */
};

/* Finds the set of the args of SOURCE. True: it is found, so they need not be made. */
static bool recall(const struct tm_model_output *out, const struct tm_arg_sets_source *source, struct decoded *decoded)
{
    decoded->is_recalled = tm_arg_sets_recall(&out->arg_sets, source, &decoded->note, &decoded->set);
    if (decoded->is_recalled)
        decoded->tid = decoded->note.note;
    return decoded->is_recalled;
}

/* Adds TEXT as text I of SOURCE: by its number if COLUMN has one. */
static void put_source(struct tm_arg_sets_source *source, unsigned i, uint32_t column, struct tm_text text)
{
    enum { FIRST = 6 };
    source->numbers[FIRST + i] = text.data ? tm_model_string_number(column) : 0;
    if (source->numbers[FIRST + i] == 0)
        source->texts[i] = text;
}

static enum tm_status put_field(struct tm_buf *args, struct tm_buf *key, const struct tm_ftrace_field *field,
                                const struct tm_pb_field *f)
{
    bool is_text = field->type == TM_FTRACE_TEXT, is_double = field->type == TM_FTRACE_DOUBLE;
    if (is_text != (f->type == TM_PB_LEN) || is_double != (f->type == TM_PB_I64))
        return TM_OK;
    tm_buf_clear(key);
    if (tm_buf_add(key, field->name, field->len) < 0)
        return TM_E_SYSTEM;
    switch (field->type) {
    case TM_FTRACE_TEXT:
        return tm_detail_arg_bytes(args, key, TM_ARG_STRING, f->data ? f->data : (const uint8_t *)"", f->len);
    case TM_FTRACE_DOUBLE:
        return tm_detail_arg_number(args, key, TM_ARG_DOUBLE, f->value);
    case TM_FTRACE_UINT:
        return tm_detail_arg_number(args, key, TM_ARG_UINT, f->value);
    case TM_FTRACE_SINT:
        return tm_detail_arg_number(args, key, TM_ARG_INT, (uint64_t)tm_unzigzag(f->value));
    default:
        return tm_detail_arg_number(args, key, TM_ARG_INT, f->value);
    }
}

static enum tm_status put_null(struct tm_model_output *out, const struct tm_ftrace_field *field)
{
    tm_buf_clear(&out->arg_key);
    enum tm_status st = tm_buf_add(&out->arg_key, field->name, field->len);
    return st < 0 ? st : tm_detail_arg_number(&out->args, &out->arg_key, TM_ARG_NULL, true);
}

/* Puts all fields of a switch, as the reference importer does: those that it does not state are 0 or no text. */
static enum tm_status put_switch(struct tm_model_output *out, const struct tm_pb_field *message,
                                 struct decoded *decoded)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, of[TM_SWITCH_NEXT_PRIO + 1] = {0};
    struct tm_ftrace_field field;
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id <= TM_SWITCH_NEXT_PRIO)
            of[f.id] = f;
    decoded->tid = (int32_t)(uint32_t)of[TM_SWITCH_PREV_PID].value;
    for (uint32_t i = 1; st == TM_OK && i <= TM_SWITCH_NEXT_PRIO; i++) {
        if (!tm_ftrace_field_find(TM_FTRACE_EVENT_SCHED_SWITCH, i, &field))
            continue;
        if (of[i].id == 0 && field.type == TM_FTRACE_TEXT) {
            st = put_null(out, &field);
            continue;
        }
        of[i].type = of[i].id ? of[i].type : TM_PB_VARINT;
        st = put_field(&out->args, &out->arg_key, &field, &of[i]);
    }
    return st;
}

static enum tm_status put_fields(struct tm_model_output *out, uint32_t event, const struct tm_pb_field *message,
                                 const struct decoded *decoded)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_ftrace_field field;
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (!tm_ftrace_field_find(event, f.id, &field))
            continue;
        if (f.id == decoded->function_field && f.type == TM_PB_VARINT && decoded->function.data) {
            field.type = TM_FTRACE_TEXT;
            f.type = TM_PB_LEN;
            f.data = decoded->function.data;
            f.len = decoded->function.len;
        }
        st = put_field(&out->args, &out->arg_key, &field, &f);
    }
    return st;
}

/* Returns the kernel function in the detail of E; no data: it has none. */
static struct tm_text function_of(const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == TM_DETAIL_KERNEL_FUNCTION && f.type == TM_PB_LEN)
            return tm_text_given(f.data, f.len);
    return (struct tm_text){NULL, 0};
}

/* Decodes a field of an event that names its fields itself. */
static enum tm_status put_generic_field(struct tm_model_output *out, const struct tm_pb_field *message)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f, name = {.data = (const uint8_t *)""}, value = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_GENERIC_FIELD_NAME && f.type == TM_PB_LEN)
            name = f;
        else if ((f.id == TM_GENERIC_FIELD_TEXT && f.type == TM_PB_LEN) ||
                 ((f.id == TM_GENERIC_FIELD_INT || f.id == TM_GENERIC_FIELD_UINT) && f.type == TM_PB_VARINT))
            value = f;
    }
    struct tm_ftrace_field field = {(const char *)name.data, name.len,
                                    value.id == TM_GENERIC_FIELD_TEXT ? TM_FTRACE_TEXT : TM_FTRACE_INT};
    return value.id && name.data ? put_field(&out->args, &out->arg_key, &field, &value) : TM_OK;
}

static enum tm_status put_generic(struct tm_model_output *out, const struct tm_pb_field *message,
                                  struct decoded *decoded)
{
    struct tm_pb pb = tm_pb_of(message->data, message->len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.type != TM_PB_LEN)
            continue;
        if (f.id == TM_GENERIC_EVENT_NAME)
            decoded->name = tm_text_given(f.data, f.len);
        else if (f.id == TM_GENERIC_EVENT_FIELD)
            st = put_generic_field(out, &f);
    }
    return st;
}

/* Decodes the FtraceEvent in EV's raw bytes. An event without a name is unknown. */
static enum tm_status read_raw(struct tm_model_output *out, const struct tm_model_event *ev, struct decoded *decoded)
{
    const struct tm_event *e = ev->e;
    struct tm_pb pb = tm_pb_of(e->raw, e->raw_bytes);
    struct tm_pb_field f, what = {0};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_FTRACE_EVENT_PID && f.type == TM_PB_VARINT)
            decoded->tid = (int64_t)(uint32_t)f.value;
        else if (f.type == TM_PB_LEN && what.id == 0)
            what = f;
    }
    const char *name = tm_ftrace_event_name(what.id);
    if (what.id == TM_FTRACE_EVENT_GENERIC)
        return put_generic(out, &what, decoded);
    if (name == NULL) { /* the trace describes it */
        decoded->name = e->kind == TM_KIND_FTRACE ? ev->name : ev->category;
        return tm_buf_add(&out->args, e->detail, e->detail_bytes);
    }
    decoded->name = tm_text_str(name);
    const int64_t tid = decoded->tid;
    const bool is_switch = what.id == TM_FTRACE_EVENT_SCHED_SWITCH;
    decoded->function_field = tm_ftrace_function_field(what.id);
    if (decoded->function_field)
        decoded->function = function_of(e);
    const struct tm_arg_sets_source source = {.numbers = {what.id, is_switch ? (uint64_t)tid : 0},
                                              .texts = {{what.data, what.len}, decoded->function}};
    if (!recall(out, &source, decoded))
        return is_switch ? put_switch(out, &what, decoded) : put_fields(out, what.id, &what, decoded);
    decoded->tid = is_switch ? decoded->tid : tid; /* the args of others do not decide it */
    return TM_OK;
}

static enum tm_status put_text(struct tm_buf *args, const char *key, struct tm_text text)
{
    return tm_detail_arg_text(args, key, text.data ? text.data : (const uint8_t *)"", text.len);
}

/* Returns the mask that a kernel records for VALUE, a state that a line of text states. */
static uint64_t state_of_text(uint64_t value)
{
    enum { KERNEL_UNKNOWN = 0, INVALID = 0xffff };
    return value & TM_SCHED_STATE_UNKNOWN ? INVALID : tm_sched_state_encode((uint32_t)value, KERNEL_UNKNOWN);
}

/* Decodes a switch of compact_sched or of text. As in the reference importer, the previous task of a switch of
 * compact_sched has the name that its thread has at that time. */
static enum tm_status read_switch(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                  struct tm_model_event *ev, struct decoded *decoded)
{
    const struct tm_event *e = ev->e;
    const struct tm_processes *p = &tasks->processes;
    struct tm_buf *args = &out->args;
    bool is_text = tm_event_raw(e->flags) == TM_RAW_LINE;
    uint64_t state = is_text ? state_of_text(e->value) : (e->value & INT32_MAX) | e->track << 31;
    if (ev->of_tid == TM_NO_ID)
        ev->of_tid = tm_processes_find_thread(p, ev->place.machine, e->tid);
    uint32_t name = is_text || ev->of_tid == TM_NO_ID ? 0 : p->threads[ev->of_tid].name;
    struct tm_text comm = is_text ? ev->category : tm_processes_text(p, name);
    decoded->name = tm_text_str("sched_switch");
    decoded->tid = e->tid;
    struct tm_arg_sets_source source = {
        .numbers = {is_text ? SWITCH_OF_TEXT : SWITCH, (uint64_t)e->tid, state, (uint64_t)e->pid,
                    (uint64_t)tm_event_prev_priority(e), (uint64_t)tm_event_next_priority(e)}};
    put_source(&source, 0, is_text ? e->category : name, comm);
    put_source(&source, 1, e->name, ev->name);
    if (recall(out, &source, decoded))
        return TM_OK;
    if (put_text(args, "prev_comm", comm) < 0 || tm_detail_arg_int(args, "prev_pid", e->tid) < 0 ||
        tm_detail_arg_int(args, "prev_prio", tm_event_prev_priority(e)) < 0 ||
        tm_detail_arg_int(args, "prev_state", (int64_t)state) < 0 || put_text(args, "next_comm", ev->name) < 0 ||
        tm_detail_arg_int(args, "next_pid", e->pid) < 0)
        return TM_E_SYSTEM;
    return tm_detail_arg_int(args, "next_prio", tm_event_next_priority(e));
}

static enum tm_status read_waking(struct tm_model_output *out, const struct tm_model_event *ev,
                                  struct decoded *decoded)
{
    const struct tm_event *e = ev->e;
    struct tm_buf *args = &out->args;
    decoded->name = tm_text_str("sched_waking");
    decoded->tid = e->pid;
    struct tm_arg_sets_source source = {.numbers = {WAKING, (uint64_t)e->tid, (uint64_t)e->pid,
                                                    (uint64_t)tm_event_waking_priority(e),
                                                    (uint64_t)tm_event_waking_cpu(e)}};
    put_source(&source, 0, e->name, ev->name);
    if (recall(out, &source, decoded))
        return TM_OK;
    if (put_text(args, "comm", ev->name) < 0 || tm_detail_arg_int(args, "pid", e->tid) < 0 ||
        tm_detail_arg_int(args, "prio", tm_event_waking_priority(e)) < 0)
        return TM_E_SYSTEM;
    return tm_detail_arg_int(args, "target_cpu", tm_event_waking_cpu(e));
}

/* Sets *SET to the set of the event's args. */
static enum tm_status find_set(struct tm_model_output *out, struct decoded *decoded, int64_t *set,
                               struct tm_error *err)
{
    *set = decoded->set;
    if (decoded->is_recalled)
        return TM_OK;
    decoded->note.note = decoded->tid;
    return tm_arg_sets_add_noted(&out->arg_sets, tm_text_at(out->args.data, out->args.len), &decoded->note, set, err);
}

enum tm_status tm_model_ftrace_event(struct tm_model_tasks *tasks, struct tm_model_output *out,
                                     struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct decoded decoded = {.tid = 0};
    int64_t utid;
    enum tm_raw raw = tm_event_raw(e->flags);
    bool is_compact = raw == TM_RAW_COMPACT_SCHED, is_waking = e->kind == TM_KIND_SCHED_WAKING;
    if (out->rows->ftrace_event == NULL || e->cpu >= TM_CPUS_A_MACHINE || e->flags & TM_EVENT_CONTEXT)
        return TM_OK;
    tm_buf_clear(&out->args);
    enum tm_status st = raw == TM_RAW_FTRACE_EVENT ? read_raw(out, ev, &decoded)
                        : is_waking                ? read_waking(out, ev, &decoded)
                                                   : read_switch(tasks, out, ev, &decoded);
    if (st < 0)
        return tm_error_nomem(err);
    if (decoded.name.data == NULL)
        return TM_OK;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    struct tm_ftrace_row row = {.ts = e->time_ns,
                                .name = decoded.name,
                                .ucpu = tm_ucpu(ev->place.machine, e->cpu),
                                .common_flags = is_compact && is_waking ? (uint32_t)e->track : 0};
    if ((st = tm_sched_cpu(&tasks->sched, ev->place.machine, e->cpu, err)) < 0 ||
        (st = tm_model_task_of(tasks, ev, decoded.tid, &utid, err)) < 0 ||
        (st = find_set(out, &decoded, &row.arg_set, err)) < 0)
        return st;
    row.utid = (uint32_t)utid;
    return out->rows->ftrace_event(out->rows->self, &row, err);
}
