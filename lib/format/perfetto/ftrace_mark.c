/* Writes to trace_marker, and events of drivers that imitate them. */
#include "format/ftrace/atrace_mark.h"
#include "format/perfetto/count.h"
#include "format/perfetto/ftrace_event.h"
#include "perfetto/ftrace_event_fields.h"

enum { ZERO_FLAG = 1, ZERO_NAME = 2, ZERO_PID = 3, ZERO_VALUE = 4 };
enum { ZERO_BEGIN = 1, ZERO_END = 2, ZERO_INT64 = 4 };

/* The field numbers of a driver's event; 0: it has no such field. */
struct layout {
    uint16_t event;
    uint8_t pid, name, type, begin, value;
};

static const struct layout layouts[] = {
    {TM_FTRACE_EVENT_TRACING_MARK_WRITE, .pid = 1, .name = 2, .begin = 3},
    {TM_FTRACE_EVENT_SDE_TRACING_MARK_WRITE, .pid = 1, .name = 2, .type = 3, .value = 4, .begin = 5},
    {TM_FTRACE_EVENT_DPU_TRACING_MARK_WRITE, .pid = 1, .name = 4, .type = 5, .value = 6},
    {TM_FTRACE_EVENT_G2D_TRACING_MARK_WRITE, .pid = 1, .name = 4, .type = 5, .value = 6},
    {TM_FTRACE_EVENT_MALI_TRACING_MARK_WRITE, .name = 1, .pid = 2, .type = 3, .value = 4},
    {TM_FTRACE_EVENT_LWIS_TRACING_MARK_WRITE, .type = 2, .pid = 3, .name = 4, .value = 5},
    {TM_FTRACE_EVENT_SAMSUNG_TRACING_MARK_WRITE, .pid = 1, .name = 2, .type = 4, .value = 5},
    {TM_FTRACE_EVENT_PANEL_WRITE_GENERIC, .pid = 1, .name = 4, .type = 5, .value = 6},
};

static const struct layout *layout_of(uint32_t event)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].event == event)
            return &layouts[i];
    return NULL;
}

static void set_name(struct tm_atrace_mark *mark, const struct tm_proto_event_fields *fields, uint8_t field)
{
    mark->name = (const char *)fields->text[field];
    mark->name_len = fields->len[field];
}

/* Reads an event of a driver, which states the letter of the marker, or whether a slice begins. Drivers that state a
 * letter must have one, but the number 0 of Samsung's is an end. */
static enum tm_status read_driver(const struct layout *l, const struct tm_pb_field *f, struct tm_atrace_mark *mark)
{
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    bool has_type = l->type && fields.has[l->type], has_begin = l->begin && fields.has[l->begin];
    const uint64_t letter = has_type ? fields.number[l->type] : 0;
    const uint8_t type = (uint8_t)letter;
    if (!has_type && !has_begin)
        return TM_E_INPUT;
    if (letter == 0 && l->begin == 0 && l->event != TM_FTRACE_EVENT_SAMSUNG_TRACING_MARK_WRITE)
        return TM_E_INPUT;
    if (type && strchr("BECI", type) == NULL)
        return TM_E_INPUT;
    mark->phase = type ? (char)type : has_begin && fields.number[l->begin] ? 'B' : 'E';
    mark->has_pid = true;
    /* Markers of the display driver name a process that is not their thread's. */
    mark->pid =
        l->event == TM_FTRACE_EVENT_DPU_TRACING_MARK_WRITE && mark->phase != 'C' ? 0 : (uint32_t)fields.number[l->pid];
    mark->value = l->value ? (int64_t)fields.number[l->value] : 0;
    set_name(mark, &fields, l->name);
    return TM_OK;
}

static enum tm_status read_zero(const struct tm_pb_field *f, struct tm_atrace_mark *mark)
{
    struct tm_proto_event_fields fields;
    tm_proto_event_fields_read(&fields, f);
    uint64_t flag = fields.number[ZERO_FLAG];
    if (!(flag & (ZERO_BEGIN | ZERO_END | ZERO_INT64)))
        return TM_E_INPUT;
    mark->phase = flag & ZERO_BEGIN ? 'B' : flag & ZERO_END ? 'E' : 'C';
    mark->has_pid = true;
    mark->pid = (uint32_t)fields.number[ZERO_PID];
    mark->value = (int64_t)fields.number[ZERO_VALUE];
    set_name(mark, &fields, ZERO_NAME);
    return TM_OK;
}

static enum tm_status read_print(const struct tm_pb_field *f, struct tm_atrace_mark *mark)
{
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field field, text = {.data = (const uint8_t *)""};
    while (tm_pb_next(&pb, &field) == TM_OK)
        if (field.id == TM_PRINT_BUF)
            text = field;
    return tm_atrace_mark_parse(text.data ? (const char *)text.data : "", text.len, mark);
}

enum tm_status tm_proto_ftrace_mark(struct tm_proto_rows *rows, const struct tm_pb_field *f, struct tm_event *row,
                                    struct tm_error *err)
{
    struct tm_atrace_mark mark = {0};
    const struct layout *layout;
    enum tm_status st;
    if (f->id == TM_FTRACE_EVENT_PRINT) {
        row->flags |= TM_EVENT_MARKER;
        st = read_print(f, &mark);
    } else if (f->id == TM_FTRACE_EVENT_ZERO) {
        st = read_zero(f, &mark);
    } else if ((layout = layout_of(f->id)) != NULL) {
        st = read_driver(layout, f, &mark);
    } else {
        return TM_END;
    }
    if (st == TM_OK)
        return tm_atrace_mark_fill(&mark, rows->sink, row, &rows->detail, err);
    if (st == TM_E_INPUT &&
        (st = tm_proto_count_stat(&rows->counts, TM_PROTO_STAT_MARKER_ERRORS, row->machine, 1, err)) < 0)
        return st;
    return TM_END;
}
