#include "emit/perfetto/listed_line.h"

#include "base/pb.h"
#include "base/text.h"
#include "perfetto/ftrace_event_fields.h"

#include <string.h>

enum { FIELDS_MAX = 5 };

struct field {
    const char *key; /* in the text */
    uint32_t number; /* in the message */
    bool is_text;    /* else an int32 */
};

/* The events, with their fields in the order of the text. */
static const struct listed {
    const char *name;
    uint32_t number; /* in FtraceEvent */
    struct field fields[FIELDS_MAX];
} events[] = {
    {"sched_wakeup",
     TM_FTRACE_EVENT_SCHED_WAKEUP,
     {{"comm", 1, true}, {"pid", 2, false}, {"prio", 3, false}, {"success", 4, false}, {"target_cpu", 5, false}}},
    {"sched_wakeup_new",
     TM_FTRACE_EVENT_SCHED_WAKEUP_NEW,
     {{"comm", 1, true}, {"pid", 2, false}, {"prio", 3, false}, {"success", 4, false}, {"target_cpu", 5, false}}},
    {"sched_migrate_task",
     TM_FTRACE_EVENT_SCHED_MIGRATE_TASK,
     {{"comm", 1, true}, {"pid", 2, false}, {"prio", 3, false}, {"orig_cpu", 4, false}, {"dest_cpu", 5, false}}},
    {"sched_pi_setprio",
     TM_FTRACE_EVENT_SCHED_PI_SETPRIO,
     {{"comm", 1, true}, {"pid", 4, false}, {"oldprio", 3, false}, {"newprio", 2, false}}},
    {"sched_process_exec",
     TM_FTRACE_EVENT_SCHED_PROCESS_EXEC,
     {{"filename", 1, true}, {"pid", 2, false}, {"old_pid", 3, false}}},
    {"sched_process_exit",
     TM_FTRACE_EVENT_SCHED_PROCESS_EXIT,
     {{"comm", 1, true}, {"pid", 2, false}, {"prio", 4, false}}},
    {"sched_process_fork",
     TM_FTRACE_EVENT_SCHED_PROCESS_FORK,
     {{"comm", 1, true}, {"pid", 2, false}, {"child_comm", 3, true}, {"child_pid", 4, false}}},
    {"sched_process_hang", TM_FTRACE_EVENT_SCHED_PROCESS_HANG, {{"comm", 1, true}, {"pid", 2, false}}},
    {"sched_process_wait",
     TM_FTRACE_EVENT_SCHED_PROCESS_WAIT,
     {{"comm", 1, true}, {"pid", 2, false}, {"prio", 3, false}}},
};

/* Cuts "KEY=" from the front of REST. Returns its field, which is FIELD or a later one of EVENT; or NULL with REST
 * unchanged. */
static const struct field *cut_key(const struct listed *event, const struct field *field, struct tm_text *rest)
{
    for (; field < event->fields + FIELDS_MAX && field->key; field++) {
        size_t len = strlen(field->key);
        if (rest->len > len && rest->data[len] == '=' && memcmp(rest->data, field->key, len) == 0) {
            *rest = tm_text_at(rest->data + len + 1, rest->len - len - 1);
            return field;
        }
    }
    return NULL;
}

/* Cuts the value of FIELD and the blank after it from the front of REST. A text may have blanks: it ends before the
 * next field. */
static struct tm_text cut_value(const struct listed *event, const struct field *field, struct tm_text *rest)
{
    struct tm_text value = *rest;
    for (size_t i = 0; i < rest->len; i++) {
        struct tm_text after = {rest->data + i + 1, rest->len - i - 1}, next = after;
        if (rest->data[i] == ' ' && (!field->is_text || cut_key(event, field + 1, &next))) {
            value.len = i;
            *rest = after;
            return value;
        }
    }
    *rest = (struct tm_text){0};
    return value;
}

/* Appends the fields of EVENT that ARGS states. TM_END: ARGS is not only fields, each at most once and in order. */
static enum tm_status put_fields(struct tm_buf *out, const struct listed *event, struct tm_text args)
{
    const struct field *field = event->fields;
    do {
        if ((field = cut_key(event, field, &args)) == NULL)
            return TM_END;
        struct tm_text value = cut_value(event, field, &args);
        int64_t n;
        enum tm_status st;
        if (field->is_text)
            st = tm_pb_put_bytes(out, field->number, value.data, value.len);
        else if (!tm_text_int(value, &n) || n < INT32_MIN || n > INT32_MAX)
            return TM_END;
        else
            st = tm_pb_put_varint(out, field->number, (uint64_t)n);
        if (st != TM_OK)
            return TM_E_SYSTEM;
        field++;
    } while (args.len > 0);
    return TM_OK;
}

enum tm_status tm_listed_line_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *e)
{
    struct tm_text name = tm_catalog_string(catalog, e->name, e);
    struct tm_text args = {e->raw, e->raw_bytes}, before;
    const struct listed *event = events, *end = events + sizeof events / sizeof *events;
    while (event < end && (name.data == NULL || !tm_text_is(name, event->name)))
        event++;
    if (event == end || !tm_text_cut(&args, event->name, &before) || !tm_text_cut(&args, ": ", &before))
        return TM_END;
    size_t start = out->len, mark;
    enum tm_status st = tm_pb_begin(out, event->number, &mark);
    if (st == TM_OK)
        st = put_fields(out, event, args);
    if (st == TM_OK)
        st = tm_pb_end(out, mark);
    if (st == TM_END)
        out->len = start;
    return st == TM_END || st == TM_OK ? st : TM_E_SYSTEM;
}
