#include "format/ftrace/atrace_mark.h"

#include "base/decimal.h"

static const char clock_sync[] = "trace_event_clock_sync:";
static const char empty_name[] = "[empty slice name]";

struct field {
    const char *s;
    size_t len;
};

/* Returns the text up to the next '|' or NUL and moves *AT past it. */
static struct field next_field(const char *text, size_t len, size_t *at)
{
    struct field f = {text + (*at < len ? *at : len), 0};
    while (*at < len && text[*at] != '|' && text[*at] != '\0') {
        f.len++;
        ++*at;
    }
    ++*at;
    return f;
}

static bool parse_pid(struct field f, uint32_t *pid)
{
    int64_t v;
    if (f.len == 0 || f.s[0] < '0' || f.s[0] > '9' || tm_decimal_int(f.s, f.len, &v) != TM_OK || v > UINT32_MAX)
        return false;
    *pid = (uint32_t)v;
    return true;
}

/* A number beyond int64 becomes the nearest that int64 has, as in the reference importer. */
static bool parse_value(struct field f, int64_t *value)
{
    enum tm_status st = tm_decimal_int(f.s, f.len, value);
    if (st == TM_END)
        *value = f.s[0] == '-' ? INT64_MIN : INT64_MAX;
    return st == TM_OK || st == TM_END;
}

static void set_name(struct tm_atrace_mark *mark, struct field f)
{
    mark->name = f.s;
    mark->name_len = f.len;
}

static void set_track(struct tm_atrace_mark *mark, struct field f)
{
    mark->track = f.s;
    mark->track_len = f.len;
}

/* Parses the fields after the pid, in all phases but B and E. */
static bool parse_named(struct tm_atrace_mark *mark, const char *text, size_t len, size_t at)
{
    struct field second = next_field(text, len, &at);
    struct field third = next_field(text, len, &at);
    struct field fourth = next_field(text, len, &at);
    struct field number = third;
    if (second.len == 0)
        return false;
    switch (mark->phase) {
    case 'I':
        set_name(mark, second);
        return true;
    case 'N':
        set_track(mark, second);
        set_name(mark, third);
        return third.len > 0;
    case 'G':
        set_track(mark, second);
        set_name(mark, third);
        if (third.len == 0)
            return false;
        number = fourth;
        break;
    case 'H': /* H|pid|track|cookie and H|pid|track|name|cookie */
        set_track(mark, second);
        if (fourth.len)
            number = fourth;
        break;
    default: /* C, S, F */
        set_name(mark, second);
        break;
    }
    return parse_value(number, &mark->value);
}

enum tm_status tm_atrace_mark_parse(const char *text, size_t len, struct tm_atrace_mark *mark)
{
    size_t at = 0;
    *mark = (struct tm_atrace_mark){0};
    while (len && (text[len - 1] == '\n' || text[len - 1] == '\r' || text[len - 1] == '\0'))
        len--;
    struct field phase = next_field(text, len, &at);
    struct field pid = next_field(text, len, &at);
    if (phase.len == 0)
        return TM_E_INPUT;
    if (phase.len >= sizeof clock_sync - 1 && memcmp(phase.s, clock_sync, sizeof clock_sync - 1) == 0)
        return TM_END;
    if (phase.len != 1 || strchr("BECSFINGH", phase.s[0]) == NULL)
        return TM_E_INPUT;
    mark->phase = phase.s[0];
    mark->has_pid = parse_pid(pid, &mark->pid);
    if (mark->phase == 'E')
        return TM_OK;
    if (!mark->has_pid)
        return TM_E_INPUT;
    if (mark->phase != 'B')
        return parse_named(mark, text, len, at) ? TM_OK : TM_E_INPUT;
    if (at < len)
        set_name(mark, (struct field){text + at, len - at});
    else
        set_name(mark, (struct field){empty_name, sizeof empty_name - 1});
    return TM_OK;
}

static bool name_is(const struct tm_atrace_mark *mark, const char *prefix, bool whole)
{
    size_t n = strlen(prefix);
    return mark->name_len >= n && memcmp(mark->name, prefix, n) == 0 && (!whole || mark->name_len == n);
}

/* Sets kind and scope by phase. Markers that the reference importer shows on tracks without a process have global
 * scope. */
static void set_kind(const struct tm_atrace_mark *mark, struct tm_event *event)
{
    enum tm_scope scope = TM_SCOPE_PROCESS;
    switch (mark->phase) {
    case 'B':
    case 'E':
        event->kind = mark->phase == 'B' ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
        scope = TM_SCOPE_THREAD;
        break;
    case 'I':
        event->kind = TM_KIND_INSTANT;
        scope = TM_SCOPE_THREAD;
        break;
    case 'C':
        event->kind = TM_KIND_COUNTER;
        event->value = (uint64_t)mark->value;
        event->flags |= TM_EVENT_HAS_VALUE;
        if (name_is(mark, "ScreenState", true) || name_is(mark, "battery_stats.", false))
            scope = TM_SCOPE_GLOBAL;
        break;
    case 'N':
        event->kind = TM_KIND_INSTANT;
        event->flags |= TM_EVENT_ASYNC;
        break;
    default:
        event->kind = mark->phase == 'S' || mark->phase == 'G' ? TM_KIND_SLICE_BEGIN : TM_KIND_SLICE_END;
        event->flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
        event->track = (uint64_t)mark->value;
        break;
    }
    event->flags = (event->flags & ~tm_event_scope_flags((enum tm_scope)15)) | tm_event_scope_flags(scope);
}

enum tm_status tm_atrace_mark_fill(const struct tm_atrace_mark *mark, struct tm_event_sink *sink,
                                   struct tm_event *event, struct tm_buf *detail, struct tm_error *err)
{
    set_kind(mark, event);
    /* A marker with pid 0 is written by an interrupt. It does not say that its thread belongs to process 0. */
    event->flags &= ~(uint32_t)TM_EVENT_HAS_PID;
    if (mark->has_pid && (mark->pid != 0 || tm_event_scope(event->flags) != TM_SCOPE_THREAD)) {
        event->pid = mark->pid;
        event->flags |= TM_EVENT_HAS_PID;
    }
    if (mark->phase == 'E') /* ends the innermost open slice, also where a driver names one */
        return TM_OK;
    enum tm_status st = TM_OK;
    const char *name = mark->name == NULL && mark->phase == 'C' ? "" : mark->name; /* a counter has a name */
    if (name)
        st = tm_event_sink_string(sink, tm_text_at(name, mark->name_len), detail, &event->name, err);
    if (st >= 0 && mark->track)
        st = tm_event_sink_string(sink, tm_text_at(mark->track, mark->track_len), detail, &event->category, err);
    return st;
}
