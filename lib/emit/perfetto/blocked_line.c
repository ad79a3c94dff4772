#include "emit/perfetto/blocked_line.h"

#include "base/pb.h"
#include "emit/perfetto/line_text.h"
#include "perfetto/ftrace_event_fields.h"

enum { BLOCKED_PID = 1, BLOCKED_CALLER = 2, BLOCKED_IO_WAIT = 3 };

/* Reads the digits after WORD in ARGS, which end at END. False: there are none. */
static bool number_after(const char *args, const char *end, const char *word, uint64_t *value)
{
    const char *at = tm_line_after(args, (size_t)(end - args), word);
    if (at == NULL || at == end || *at < '0' || *at > '9')
        return false;
    *value = tm_line_number(at, end, 10);
    return true;
}

bool tm_blocked_line_read(const struct tm_catalog *catalog, const struct tm_event *e, struct tm_blocked_line *blocked)
{
    const char *line = (const char *)e->raw, *end = line + e->raw_bytes, *args, *caller;
    uint64_t tid, io_wait;
    if (e->kind != TM_KIND_FTRACE ||
        !tm_text_is(tm_catalog_string(catalog, e->name, e), "sched_blocked_reason") ||
        (args = tm_line_after(line, e->raw_bytes, "sched_blocked_reason:")) == NULL ||
        !number_after(args, end, " pid=", &tid) || !number_after(args, end, " iowait=", &io_wait) ||
        tid > INT32_MAX || io_wait > UINT32_MAX)
        return false;
    *blocked = (struct tm_blocked_line){.tid = (int64_t)tid, .io_wait = (uint32_t)io_wait};
    if ((caller = tm_line_after(args, (size_t)(end - args), " caller=")) != NULL) {
        blocked->caller.data = (const uint8_t *)caller;
        while (caller + blocked->caller.len < end && caller[blocked->caller.len] != ' ')
            blocked->caller.len++;
    }
    return true;
}

bool tm_blocked_line_put(struct tm_buf *out, const struct tm_blocked_line *blocked)
{
    size_t mark;
    return tm_pb_begin(out, TM_FTRACE_EVENT_SCHED_BLOCKED_REASON, &mark) == TM_OK &&
           tm_pb_put_varint(out, BLOCKED_PID, (uint64_t)blocked->tid) == TM_OK &&
           (blocked->symbol == 0 || tm_pb_put_varint(out, BLOCKED_CALLER, blocked->symbol) == TM_OK) &&
           tm_pb_put_varint(out, BLOCKED_IO_WAIT, blocked->io_wait) == TM_OK && tm_pb_end(out, mark) == TM_OK;
}
