#include "format/text/strace.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { EPOCH_DIGITS = 9, WHOLE_EPOCH_DIGITS = 10 };

/* Reads "[pid N] " or "N ", if present, and "seconds.fraction ". A time may also be whole seconds: ten digits, more
 * than a pid has. NULL if the head is something else. */
static const char *parse_head(const char *p, const char *end, struct tm_strace_line *l)
{
    while (p < end && *p == ' ')
        p++;
    bool bracket = tm_text_begins(p, end, "[pid ");
    if (bracket) {
        p += 5;
        while (p < end && *p == ' ')
            p++;
    }
    const char *q = tm_text_skip_digits(p, end);
    if (q == p)
        return NULL;
    if (q < end && *q != '.' && (bracket || q - p < WHOLE_EPOCH_DIGITS)) {
        if (tm_decimal_int(p, (size_t)(q - p), &l->tid) != TM_OK || l->tid > INT32_MAX)
            return NULL;
        l->has_tid = true;
        if (bracket && (q == end || *q++ != ']'))
            return NULL;
        for (p = q; p < end && *p == ' '; p++)
            ;
        q = tm_text_skip_digits(p, end);
    } else if (bracket) {
        return NULL;
    }
    bool is_whole = q < end && *q == ' ' && q - p >= WHOLE_EPOCH_DIGITS;
    if (q - p < EPOCH_DIGITS || q == end || (*q != '.' && !is_whole))
        return NULL;
    const char *r = is_whole ? q : tm_text_skip_digits(q + 1, end);
    if (r == q + 1 || r == end || *r != ' ' || tm_decimal_scale(p, (size_t)(r - p), 9, &l->time_ns) != TM_OK)
        return NULL;
    return r + 1;
}

/* Removes " <0.000012>" from the end and sets the duration. */
static const char *parse_duration(const char *p, const char *end, struct tm_strace_line *l)
{
    const char *open = end;
    if (end - p < 4 || end[-1] != '>')
        return end;
    while (open > p && *--open != '<')
        ;
    if (open <= p || open[-1] != ' ' ||
        tm_decimal_scale(open + 1, (size_t)(end - 1 - open - 1), 9, &l->dur_ns) != TM_OK || l->dur_ns < 0)
        return end;
    l->has_dur = true;
    return open - 1;
}

/* Sets the arguments to [p, end) without surrounding blanks and without a comma at the end, which precedes missing
 * arguments. */
static void store_args(const char *p, const char *end, struct tm_strace_line *l)
{
    while (p < end && *p == ' ')
        p++;
    while (end > p && (end[-1] == ' ' || end[-1] == ','))
        end--;
    l->args = p;
    l->args_len = (size_t)(end - p);
}

/* Sets arguments and result, which the last ") = " separates. */
static void parse_result(const char *p, const char *end, struct tm_strace_line *l)
{
    store_args(p, end, l);
    for (const char *q = end - 1; q > p; q--) {
        if (*q != '=' || q + 1 >= end || q[1] != ' ' || q[-1] != ' ')
            continue;
        const char *close = q - 1;
        while (close > p && *close == ' ')
            close--;
        if (*close != ')')
            continue;
        store_args(p, close, l);
        l->result = q + 2;
        l->result_len = (size_t)(end - q - 2);
        return;
    }
}

/* True if [p, end) ends in "<unfinished ...>". ") = ?" may follow it if the thread ended within the call. Sets
 * arguments and result. */
static bool parse_unfinished(const char *p, const char *end, struct tm_strace_line *l)
{
    static const char mark[] = "<unfinished ...>";
    const ptrdiff_t mark_len = sizeof mark - 1;
    const char *cut = end;
    if (end > p && end[-1] == '?') {
        for (cut--; cut > p && cut[-1] == ' ';)
            cut--;
        if (cut == p || *--cut != '=')
            return false;
        while (cut > p && cut[-1] == ' ')
            cut--;
        if (cut == p || *--cut != ')')
            return false;
    }
    if (cut - p < mark_len || memcmp(cut - mark_len, mark, (size_t)mark_len) != 0)
        return false;
    store_args(p, cut - mark_len, l);
    if (cut != end) {
        l->result = end - 1;
        l->result_len = 1;
    }
    return true;
}

/* Parses "<... name resumed> args) = result [<duration>]" at P, or a call that is interrupted again. */
static enum tm_status parse_resumed(const char *p, const char *end, struct tm_strace_line *l)
{
    l->what = TM_STRACE_RESUMED;
    l->name = p += 5;
    while (p < end && *p != ' ')
        p++;
    l->name_len = (size_t)(p - l->name);
    if (!tm_text_begins(p, end, " resumed>"))
        return TM_E_INPUT;
    p += 9;
    if (parse_unfinished(p, end, l)) {
        l->what = TM_STRACE_RESUMED_UNFINISHED;
        return TM_OK;
    }
    end = parse_duration(p, end, l);
    if (p < end)
        parse_result(p, end, l);
    return TM_OK;
}

enum tm_status tm_strace_line_parse(const char *line, size_t len, struct tm_strace_line *l)
{
    const char *end = line + len;
    *l = (struct tm_strace_line){0};
    const char *p = parse_head(line, end, l);
    if (p == NULL || p == end)
        return TM_E_INPUT;
    if (tm_text_begins(p, end, "<... "))
        return parse_resumed(p, end, l);
    if (tm_text_begins(p, end, "--- ") || tm_text_begins(p, end, "+++ ")) {
        l->what = TM_STRACE_NOTE;
        l->name = p + 4;
        l->name_len = (size_t)(end - p - 4);
        if (l->name_len > 4)
            l->name_len -= 4;
        return TM_OK;
    }
    for (l->name = p; p < end && (tm_text_is_digit(*p) || *p == '_' || *p == '?' || (*p >= 'a' && *p <= 'z') ||
                                  (*p >= 'A' && *p <= 'Z'));)
        p++;
    l->name_len = (size_t)(p - l->name);
    if (l->name_len == 0 || p == end || *p != '(')
        return TM_E_INPUT;
    p++;
    if (parse_unfinished(p, end, l)) {
        l->what = TM_STRACE_UNFINISHED;
        return TM_OK;
    }
    end = parse_duration(p, end, l);
    parse_result(p, end, l);
    return l->result ? TM_OK : TM_E_INPUT;
}

struct strace {
    struct tm_text_reader text;
    struct tm_buf detail;
};

static enum tm_status strace_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct strace *s = calloc(1, sizeof *s);
    if (s == NULL)
        return tm_error_nomem(err);
    s->text = (struct tm_text_reader){.context = *context, .max = TM_STRACE_LINE_MAX, .clock = TM_CLOCK_REALTIME};
    *state = s;
    return TM_OK;
}

static bool put_arg(struct strace *s, const char *key, const char *text, size_t len)
{
    size_t mark;
    if (text == NULL || len == 0 || !s->text.context.sink->want_detail)
        return true;
    return tm_pb_begin(&s->detail, TM_DETAIL_ARGS, &mark) == TM_OK &&
           tm_pb_put_str(&s->detail, TM_ARG_KEY, key) == TM_OK &&
           tm_pb_put_bytes(&s->detail, TM_ARG_STRING, text, len) == TM_OK && tm_pb_end(&s->detail, mark) == TM_OK;
}

/* Adds the row of L. A call that is resumed and interrupted again ends a slice and begins another. */
static enum tm_status add_line(struct strace *s, const struct tm_strace_line *l, const char *raw, size_t len,
                               struct tm_error *err)
{
    struct tm_event e = {.clock = TM_CLOCK_REALTIME, .time_ns = l->time_ns, .dur_ns = l->dur_ns, .tid = l->tid};
    e.flags = tm_event_raw_flags(TM_RAW_LINE) | tm_event_scope_flags(l->has_tid ? TM_SCOPE_THREAD : TM_SCOPE_GLOBAL) |
              (l->has_tid ? TM_EVENT_HAS_TID : 0u);
    switch (l->what) {
    case TM_STRACE_CALL:
        e.kind = l->has_dur ? TM_KIND_SLICE_COMPLETE : TM_KIND_INSTANT;
        break;
    case TM_STRACE_UNFINISHED:
        e.kind = TM_KIND_SLICE_BEGIN;
        break;
    case TM_STRACE_RESUMED:
    case TM_STRACE_RESUMED_UNFINISHED:
        e.kind = TM_KIND_SLICE_END;
        e.dur_ns = 0;
        break;
    default:
        e.kind = TM_KIND_INSTANT;
        break;
    }
    tm_buf_clear(&s->detail);
    enum tm_status st =
        tm_event_sink_string(s->text.context.sink, tm_text_at(l->name, l->name_len), &s->detail, &e.name, err);
    if (st == TM_OK)
        st = tm_event_sink_string(s->text.context.sink, tm_text_at("strace", 6), &s->detail, &e.category, err);
    if (st < 0)
        return st;
    if (!put_arg(s, "args", l->args, l->args_len) || !put_arg(s, "ret", l->result, l->result_len))
        return tm_error_nomem(err);
    e.raw = (const uint8_t *)raw;
    e.raw_bytes = (uint32_t)len;
    e.detail = s->detail.data;
    e.detail_bytes = (uint32_t)s->detail.len;
    st = tm_event_sink_add(s->text.context.sink, &e, err);
    if (st < 0 || l->what != TM_STRACE_RESUMED_UNFINISHED)
        return st;
    e.kind = TM_KIND_SLICE_BEGIN;
    e.flags = (e.flags & ~tm_event_raw_flags(15)) | TM_EVENT_DERIVED;
    e.raw_bytes = 0;
    return tm_event_sink_add(s->text.context.sink, &e, err);
}

/* True for messages of strace itself ("strace: Process 7 attached"), and stacks (-k: " > library(symbol+0x1)
 * [0x2]"). */
static bool is_remark(const char *line, size_t len)
{
    return tm_text_begins(line, line + len, "strace: ") || tm_text_begins(line, line + len, " > ");
}

static enum tm_status strace_read(void *state, struct tm_error *err)
{
    struct strace *s = state;
    struct tm_text_reader *r = &s->text;
    struct tm_strace_line parsed;
    enum tm_status st = tm_text_reader_next(r, "system call", err);
    if (st != TM_OK)
        return st;
    if (tm_strace_line_parse(r->line, r->len, &parsed) == TM_OK) {
        r->has_events = true;
        st = add_line(s, &parsed, r->line, r->len, err);
    } else if (is_remark(r->line, r->len)) {
        tm_text_reader_not_shown(r);
    } else if (r->len > 0) {
        tm_text_reader_damaged(r);
    }
    tm_text_reader_pass(r);
    return st;
}

static void strace_close(void *state)
{
    struct strace *s = state;
    if (s == NULL)
        return;
    tm_buf_release(&s->detail);
    free(s);
}

static bool strace_sniff(const uint8_t *head, size_t len)
{
    struct tm_strace_line l;
    const char *p = (const char *)head;
    const char *eol = memchr(p, '\n', len);
    if (eol)
        return tm_strace_line_parse(p, (size_t)(eol - p), &l) == TM_OK;
    /* The first line is longer than HEAD. Its head and a call must be visible. */
    l = (struct tm_strace_line){0};
    const char *end = p + len, *q = parse_head(p, end, &l);
    return len == TM_SNIFF_BYTES && q && memchr(q, '(', (size_t)(end - q));
}

const struct tm_format tm_format_strace = {
    .type = TM_INPUT_STRACE,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = strace_sniff,
    .open = strace_open,
    .read = strace_read,
    .close = strace_close,
    .is_text = true,
};
