/* Planes and lines: their names, and the processes and threads that they become. */
#include "format/xspace/internal.h"

#include "base/text.h"
#include "format/text_pid.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

#include <inttypes.h>

static enum tm_status put_note_key(struct tm_xspace *x, struct tm_text stat)
{
    tm_buf_clear(&x->key);
    if (tm_buf_add_str(&x->key, "xspace.") != TM_OK ||
        tm_buf_add(&x->key, x->plane_name.data, x->plane_name.len) != TM_OK ||
        tm_buf_add_byte(&x->key, '.') != TM_OK || tm_buf_add(&x->key, stat.data, stat.len) != TM_OK)
        return tm_error_nomem(x->err);
    return TM_OK;
}

/* Sets *TEXT to the value of the argument in x->detail, as text. TM_END: it has no argument. */
static enum tm_status argument_text(struct tm_xspace *x, struct tm_text *text)
{
    struct tm_pb pb = tm_pb_of(x->detail.data, x->detail.len);
    struct tm_pb_field arg, f;
    *text = (struct tm_text){0};
    if (tm_pb_next(&pb, &arg) != TM_OK || arg.id != TM_DETAIL_ARGS)
        return TM_END;
    pb = tm_pb_of(arg.data, arg.len);
    tm_buf_clear(&x->text);
    enum tm_status st = TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_ARG_STRING)
            st = tm_buf_add(&x->text, f.data, f.len);
        else if (f.id == TM_ARG_INT)
            st = tm_buf_addf(&x->text, "%" PRId64, tm_unzigzag(f.value));
        else if (f.id == TM_ARG_UINT)
            st = tm_buf_addf(&x->text, "%" PRIu64, f.value);
        else if (f.id == TM_ARG_DOUBLE)
            st = tm_buf_addf(&x->text, "%.17g", tm_pb_double(f.value));
    }
    *text = (struct tm_text){x->text.data, x->text.len};
    return st == TM_OK ? TM_OK : tm_error_nomem(x->err);
}

/* A handler of a stat of the plane. */
typedef enum tm_status on_stat(struct tm_xspace *x, struct tm_text name, struct tm_text value);

/* Adds a stat of the plane, such as a capability of a device, as metadata. */
static enum tm_status note_stat(struct tm_xspace *x, struct tm_text name, struct tm_text value)
{
    tm_buf_clear(&x->inner);
    if (tm_buf_add(&x->inner, name.data, name.len) != TM_OK)
        return tm_error_nomem(x->err);
    enum tm_status st = put_note_key(x, (struct tm_text){x->inner.data, x->inner.len});
    return st < 0 ? st : tm_xspace_note(x, value.data, value.len);
}

static enum tm_status take_start(struct tm_xspace *x, struct tm_text name, struct tm_text value)
{
        int64_t ns;
    if (tm_text_is(name, "profile_start_time") && tm_text_int(value, &ns) && ns > 0) {
        x->has_start = true;
        x->start_ns = ns;
    }
    return TM_OK;
}

static enum tm_status read_stat(struct tm_xspace *x, struct tm_text stat, on_stat *take)
{
    struct tm_xspace_flows unused = {0};
    struct tm_text text;
    tm_buf_clear(&x->detail);
    enum tm_status st = tm_xspace_stat(x, stat, &unused);
    if (st == TM_OK && (st = argument_text(x, &text)) == TM_OK)
        st = take(x, (struct tm_text){x->key.data, x->key.len}, text);
    return st < 0 ? st : TM_OK;
}

/* True if F, a name or an entry of the metadata of a plane, is longer than what is read of it. */
static bool is_too_long(const struct tm_xspace_field *f)
{
    if (f->id == TM_XPLANE_NAME)
        return f->len > TM_XSPACE_NAME_MAX;
    return (f->id == TM_XPLANE_EVENT_METADATA || f->id == TM_XPLANE_STAT_METADATA) && f->len > TM_XSPACE_TEXT_MAX;
}

/* Reads the fields of PLANE. With TAKE, reads its stats, which need its names; without TAKE, all others. */
static enum tm_status read_plane(struct tm_xspace *x, const struct tm_xspace_plane *plane, on_stat *take)
{
    struct tm_xspace_message message = {0};
    struct tm_xspace_field f;
    struct tm_text text;
    enum tm_status st = tm_xspace_message_open(&message, &x->uncounted, plane->at, plane->len, x->err);
    while (st == TM_OK && (st = tm_xspace_message_next(&message, &f, x->err)) == TM_OK) {
        if (f.type != TM_PB_LEN || (f.id == TM_XPLANE_STAT) != (take != NULL))
            continue;
        x->context.sink->left_out += is_too_long(&f);
        if (f.id == TM_XPLANE_EVENT_METADATA)
            st = tm_xspace_names_add(&x->events, &message, &f, x->err);
        else if (f.id == TM_XPLANE_STAT_METADATA)
            st = tm_xspace_names_add(&x->stats, &message, &f, x->err);
        if (f.id != TM_XPLANE_NAME && f.id != TM_XPLANE_STAT)
            continue;
        if ((st = tm_xspace_message_bytes(&message, &f, TM_XSPACE_NAME_MAX, &text, x->err)) < 0)
            break;
        if (take)
            st = read_stat(x, text, take);
        else if (tm_buf_clear(&x->plane_name), tm_buf_add(&x->plane_name, text.data, text.len) != TM_OK)
            st = tm_error_nomem(x->err);
    }
    if (st == TM_E_INPUT) { /* the error is reported when the lines are read */
        *x->err = (struct tm_error){0};
        st = TM_END;
    }
    tm_xspace_message_close(&message);
    return st == TM_END ? TM_OK : st;
}

/* Sets *IS to whether the plane's name says that it describes the recording. The name precedes all long fields. */
static enum tm_status is_environment(struct tm_xspace *x, const struct tm_xspace_plane *plane, bool *is)
{
    struct tm_xspace_message message = {0};
    struct tm_xspace_field f;
    struct tm_text text;
    *is = false;
    enum tm_status st = tm_xspace_message_open(&message, &x->uncounted, plane->at, plane->len, x->err);
    while (st == TM_OK && (st = tm_xspace_message_next(&message, &f, x->err)) == TM_OK && f.id <= TM_XPLANE_NAME)
        if (f.id == TM_XPLANE_NAME && f.type == TM_PB_LEN &&
            (st = tm_xspace_message_bytes(&message, &f, TM_XSPACE_NAME_MAX, &text, x->err)) == TM_OK)
            *is = tm_text_is(text, "Task Environment");
    tm_xspace_message_close(&message);
    if (st == TM_E_INPUT) /* the error is reported when the plane is read */
        *x->err = (struct tm_error){0};
    return st == TM_E_SYSTEM ? st : TM_OK;
}

enum tm_status tm_xspace_plane_start(struct tm_xspace *x, const struct tm_xspace_plane *plane)
{
    bool is;
    enum tm_status st = is_environment(x, plane, &is);
    if (st < 0 || !is)
        return st;
    st = read_plane(x, plane, NULL);
    if (st == TM_OK)
        st = read_plane(x, plane, take_start);
    tm_xspace_names_release(&x->events);
    tm_xspace_names_release(&x->stats);
    x->unshown_stat_count = 0;
    return st;
}

enum tm_status tm_xspace_plane_open(struct tm_xspace *x, const struct tm_xspace_plane *plane)
{
    tm_xspace_names_release(&x->events);
    tm_xspace_names_release(&x->stats);
    tm_buf_clear(&x->plane_name);
    x->has_process = false;
    enum tm_status st = read_plane(x, plane, NULL);
    if (st == TM_OK)
        st = read_plane(x, plane, note_stat);
    return st < 0 ? st : tm_xspace_message_open(&x->plane, &x->uncounted, plane->at, plane->len, x->err);
}

/* Adds the definition ROW of a process or thread of the plane. */
static enum tm_status define(struct tm_xspace *x, struct tm_event *row, const struct tm_buf *name)
{
    row->flags |= TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_HAS_PID;
    row->pid = x->pid;
    tm_buf_clear(&x->detail);
    if (tm_task_description_put(&x->detail, row, tm_text_given(name->data, name->len)) != TM_OK)
        return tm_error_nomem(x->err);
    row->detail = x->detail.data;
    row->detail_bytes = (uint32_t)x->detail.len;
    return tm_event_sink_add(x->context.sink, row, x->err);
}

/* The numbers of planes are not pids of a system. So the pid is the number of a text that no other plane of the run
 * has. */
static enum tm_status define_process(struct tm_xspace *x)
{
    struct tm_event row = {.kind = TM_KIND_PROCESS};
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "xspace %" PRIu32 " %" PRIu32, x->context.sink->file, x->next_plane) != TM_OK)
        return tm_error_nomem(x->err);
    enum tm_status st = tm_text_pid(x->context.sink, x->text.data, x->text.len, &x->pid, x->err);
    if (st < 0)
        return st;
    x->has_process = true;
    return define(x, &row, &x->plane_name);
}

/* Defines the line whose name is x->key as a thread. Lines with the same number are one thread. */
static enum tm_status define_thread(struct tm_xspace *x)
{
    struct tm_event row = {.kind = TM_KIND_THREAD, .flags = TM_EVENT_HAS_TID};
    tm_buf_clear(&x->text);
    if (tm_buf_addf(&x->text, "xspace %" PRIu32 " %" PRIu32 " %" PRId64, x->context.sink->file, x->next_plane,
                    x->now.id) != TM_OK ||
        (!x->now.has_name && tm_buf_addf(&x->key, "line %" PRId64, x->now.id) != TM_OK))
        return tm_error_nomem(x->err);
    enum tm_status st = tm_text_pid(x->context.sink, x->text.data, x->text.len, &x->now.tid, x->err);
    if (st < 0)
        return st;
    row.tid = x->now.tid;
    return define(x, &row, &x->key);
}

/* Reads the description of the line into x->now and its name into x->key: the display name, or the plain one. */
static enum tm_status read_line(struct tm_xspace *x, struct tm_xspace_message *line, bool *has_events)
{
    struct tm_xspace_field f;
    struct tm_text text;
    int64_t display_id = 0;
    uint32_t name_field = 0;
    enum tm_status st;
    *has_events = false;
    tm_buf_clear(&x->key);
    while ((st = tm_xspace_message_next(line, &f, x->err)) == TM_OK) {
        if (f.type == TM_PB_VARINT && f.id == TM_XLINE_ID)
            x->now.id = (int64_t)f.value;
        else if (f.type == TM_PB_VARINT && f.id == TM_XLINE_DISPLAY_ID)
            display_id = (int64_t)f.value;
        else if (f.type == TM_PB_VARINT && f.id == TM_XLINE_TIMESTAMP_NS)
            x->now.timestamp_ns = (int64_t)f.value;
        *has_events |= f.type == TM_PB_LEN && f.id == TM_XLINE_EVENT;
        if (f.type != TM_PB_LEN || (f.id != TM_XLINE_NAME && f.id != TM_XLINE_DISPLAY_NAME) || f.len == 0 ||
            f.id < name_field)
            continue;
        if ((st = tm_xspace_message_bytes(line, &f, TM_XSPACE_NAME_MAX, &text, x->err)) < 0)
            return st;
        x->context.sink->left_out += f.len > TM_XSPACE_NAME_MAX;
        name_field = f.id;
        tm_buf_clear(&x->key);
        if (tm_buf_add(&x->key, text.data, text.len) != TM_OK)
            return tm_error_nomem(x->err);
    }
    x->now.has_name = name_field != 0;
    x->now.id = display_id ? display_id : x->now.id;
    return st;
}

enum tm_status tm_xspace_line_open(struct tm_xspace *x, const struct tm_xspace_field *field)
{
    struct tm_xspace_message line = {0};
    bool has_events = false;
    x->now = (struct tm_xspace_line){0};
    enum tm_status st = tm_xspace_message_open(&line, &x->uncounted, field->at, field->len, x->err);
    if (st == TM_OK)
        st = read_line(x, &line, &has_events);
    tm_xspace_message_close(&line);
    if (st == TM_E_INPUT) { /* the error is reported when the events are read */
        *x->err = (struct tm_error){0};
        st = TM_END;
    }
    if (st >= 0 && has_events && !x->has_process)
        st = define_process(x);
    if (st >= 0 && has_events)
        st = define_thread(x);
    if (st >= 0)
        st = tm_xspace_message_open(&x->line, &x->file, field->at, field->len, x->err);
    return st;
}
