#include "emit/perfetto/binder_line.h"

#include "base/pb.h"
#include "emit/perfetto/line_text.h"
#include "perfetto/ftrace_event_fields.h"

enum { FIELDS_MAX = 7 };

/* A field of an event's message: its number in it, and its key in a line. */
struct field {
    uint8_t id;
    uint8_t base;
    const char *key; /* with the characters around it; NULL: no more */
};

/* The field of FtraceEvent, and the fields of each event's message. */
static const struct {
    uint16_t event;
    struct field fields[FIELDS_MAX + 1];
} messages[TM_BINDER_EVENTS] = {
    [TM_BINDER_TRANSACTION] = {TM_FTRACE_EVENT_BINDER_TRANSACTION,
                               {{1, 10, " transaction="},
                                {2, 10, " dest_node="},
                                {3, 10, " dest_proc="},
                                {4, 10, " dest_thread="},
                                {5, 10, " reply="},
                                {6, 16, " code="},
                                {7, 16, " flags="}}},
    [TM_BINDER_RECEIVED] = {TM_FTRACE_EVENT_BINDER_TRANSACTION_RECEIVED, {{1, 10, " transaction="}}},
    [TM_BINDER_ALLOC] = {TM_FTRACE_EVENT_BINDER_TRANSACTION_ALLOC_BUF,
                         {{1, 10, " data_size="}, {2, 10, " transaction="}, {3, 10, " offsets_size="}}},
    [TM_BINDER_COMMAND] = {TM_FTRACE_EVENT_BINDER_COMMAND, {{1, 0, " cmd="}}},
    [TM_BINDER_RETURN] = {TM_FTRACE_EVENT_BINDER_RETURN, {{1, 0, " cmd="}}},
    [TM_BINDER_LOCK] = {TM_FTRACE_EVENT_BINDER_LOCK, {{0}}},
    [TM_BINDER_LOCKED] = {TM_FTRACE_EVENT_BINDER_LOCKED, {{0}}},
    [TM_BINDER_UNLOCK] = {TM_FTRACE_EVENT_BINDER_UNLOCK, {{0}}},
};

bool tm_binder_line_put(struct tm_buf *out, const struct tm_event *e)
{
    enum tm_binder_event event = tm_binder_event_of(e);
    const char *line = (const char *)e->raw, *end = line + e->raw_bytes, *name = tm_binder_event_name(event);
    size_t mark;
    if (event == TM_BINDER_ASYNC || event == TM_BINDER_REPLY)
        event = TM_BINDER_TRANSACTION;
    const char *args = tm_line_after(line, e->raw_bytes, name);
    bool good = tm_pb_begin(out, messages[event].event, &mark) == TM_OK;
    for (const struct field *f = messages[event].fields; good && args && f->key; f++) {
        const char *at = tm_line_after(args, (size_t)(end - args), f->key);
        if (at)
            good = tm_pb_put_varint(out, f->id, tm_line_number(at, end, f->base)) == TM_OK;
    }
    return good && tm_pb_end(out, mark) == TM_OK;
}
