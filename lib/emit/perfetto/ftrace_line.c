/* Lines of ftrace text as ftrace events. */
#include "emit/perfetto/binder_line.h"
#include "emit/perfetto/blocked_line.h"
#include "emit/perfetto/counter_line.h"
#include "emit/perfetto/ftrace_bundle.h"
#include "emit/perfetto/line_text.h"
#include "emit/perfetto/listed_line.h"
#include "emit/perfetto/work_line.h"
#include "perfetto/ftrace_event_fields.h"

static bool put_task(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    bool is_new = e->kind == TM_KIND_TASK_NEW;
    return tm_pb_begin(out, is_new ? TM_FTRACE_EVENT_TASK_NEWTASK : TM_FTRACE_EVENT_TASK_RENAME, &mark) == TM_OK &&
           tm_pb_put_varint(out, is_new ? TM_TASK_NEW_PID : TM_TASK_RENAME_PID, (uint64_t)e->tid) == TM_OK &&
           tm_ftrace_put_text(w, out, is_new ? TM_TASK_NEW_COMM : TM_TASK_RENAME_COMM, e->name, e) &&
           (!is_new || tm_pb_put_varint(out, TM_TASK_NEW_CLONE_FLAGS, e->value) == TM_OK) &&
           tm_pb_end(out, mark) == TM_OK;
}

/* Writes the event that ends a task. */
static bool put_exit(struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    return tm_pb_begin(out, TM_FTRACE_EVENT_SCHED_PROCESS_FREE, &mark) == TM_OK &&
           tm_pb_put_varint(out, TM_PROCESS_FREE_PID, (uint64_t)e->tid) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

/* Finds the text that was written to trace_marker in LINE, or in its end from the event's name on. NULL: the line is
 * not a marker. */
static const char *marker_of(const char *line, size_t len)
{
    static const char *const events[] = {"tracing_mark_write: ", "print: ", " 0: "};
    const char *text = len > 3 && memcmp(line, "0: ", 3) == 0 ? line + 3 : NULL;
    for (size_t i = 0; text == NULL && i < sizeof events / sizeof *events; i++)
        text = tm_line_after(line, len, events[i]);
    return text;
}

/* Writes a marker. TM_END: the line is not a marker. */
static enum tm_status put_print(struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark;
    const char *line = (const char *)e->raw, *text = marker_of(line, e->raw_bytes);
    if (text == NULL)
        return TM_END;
    size_t len = e->raw_bytes - (size_t)(text - line);
    const char *at = memchr(text, '|', len); /* in "0xffff: B|1|x" and "func: B|1|x" an address precedes the marker */
    if (at && at - text > 2 && memchr(text, ' ', (size_t)(at - text))) {
        const char *space = text;
        while (space < at && *space != ' ')
            space++;
        len -= (size_t)(space + 1 - text);
        text = space + 1;
    }
    tm_buf_clear(&w->line);
    bool good = tm_buf_add(&w->line, text, len) == TM_OK && tm_buf_add_byte(&w->line, '\n') == TM_OK &&
                tm_pb_begin(out, TM_FTRACE_EVENT_PRINT, &mark) == TM_OK &&
                tm_pb_put_bytes(out, TM_PRINT_BUF, w->line.data, w->line.len) == TM_OK && tm_pb_end(out, mark) == TM_OK;
    return good ? TM_OK : TM_E_SYSTEM;
}

/* Writes any other event: its name, and its line as the only field. */
static bool put_generic(const struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    size_t mark, field;
    return tm_pb_begin(out, TM_FTRACE_EVENT_GENERIC, &mark) == TM_OK &&
           tm_ftrace_put_text(w, out, TM_GENERIC_EVENT_NAME, e->name, e) &&
           tm_pb_begin(out, TM_GENERIC_EVENT_FIELD, &field) == TM_OK &&
           tm_pb_put_str(out, TM_GENERIC_FIELD_NAME, "line") == TM_OK &&
           tm_pb_put_bytes(out, TM_GENERIC_FIELD_TEXT, e->raw, e->raw_bytes) == TM_OK &&
           tm_pb_end(out, field) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}

/* Writes the message of a line by its kind. TM_END: there is none for it. */
static enum tm_status put_line(struct tm_ftrace_writer *w, struct tm_buf *out, const struct tm_event *e)
{
    if (tm_binder_event_of(e))
        return tm_binder_line_put(out, e) ? TM_OK : TM_E_SYSTEM;
    enum tm_status st;
    switch (e->kind) {
    case TM_KIND_TASK_NEW:
    case TM_KIND_TASK_RENAME:
        return put_task(w, out, e) ? TM_OK : TM_E_SYSTEM;
    case TM_KIND_PROCESS_EXIT:
        return put_exit(out, e) ? TM_OK : TM_E_SYSTEM;
    case TM_KIND_FTRACE:
        st = tm_listed_line_put(out, w->packets->catalog, e);
        if (st == TM_END)
            st = put_generic(w, out, e) ? TM_OK : TM_E_SYSTEM;
        return st;
    case TM_KIND_COUNTER:
        st = tm_counter_line_put(out, w->packets->catalog, e);
        return st == TM_END ? put_print(w, out, e) : st;
    default:
        return put_print(w, out, e);
    }
}

enum tm_status tm_ftrace_write_line(struct tm_ftrace_writer *w, const struct tm_event *e, struct tm_error *err)
{
    struct tm_ftrace_bundle *b;
    size_t mark;
    if (e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING)
        return tm_ftrace_write_sched(w, e, err);
    enum tm_status st = tm_ftrace_writer_bundle(w, e, &b, err);
    if (st < 0)
        return st;
    uint64_t function = 0;
    struct tm_blocked_line blocked = {0};
    bool is_work = tm_work_line_is(w, e), is_blocked = tm_blocked_line_read(w->packets->catalog, e, &blocked);
    if (is_work && (st = tm_work_line_name(w, b, e, &function, err)) < 0)
        return st;
    if (blocked.caller.len && (st = tm_kernel_symbol(w, b, blocked.caller, &blocked.symbol, err)) < 0)
        return st;
    size_t before = b->events.len;
    int64_t tid = e->kind == TM_KIND_TASK_NEW ? e->pid : e->tid; /* the thread that made the task, not the task */
    if (tm_pb_begin(&b->events, TM_BUNDLE_EVENT, &mark) != TM_OK ||
        tm_pb_put_varint(&b->events, TM_FTRACE_EVENT_TIMESTAMP, (uint64_t)e->time_ns) != TM_OK ||
        tm_pb_put_varint(&b->events, TM_FTRACE_EVENT_PID, (uint64_t)tid) != TM_OK)
        return tm_error_nomem(err);
    if (is_work)
        st = tm_work_line_put(&b->events, e, function) ? TM_OK : TM_E_SYSTEM;
    else if (is_blocked)
        st = tm_blocked_line_put(&b->events, &blocked) ? TM_OK : TM_E_SYSTEM;
    else
        st = put_line(w, &b->events, e);
    if (st == TM_END)
        b->events.len = before;
    if (st != TM_OK)
        return st == TM_END ? TM_END : tm_error_nomem(err);
    return tm_pb_end(&b->events, mark) == TM_OK ? TM_OK : tm_error_nomem(err);
}
