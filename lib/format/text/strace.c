#include "format/text/strace.h"

#include "base/decimal.h"
#include "base/map.h"
#include "base/pb.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

enum { EPOCH_DIGITS = 9, WHOLE_EPOCH_DIGITS = 10, NAMES_MAX = 1 << 18 };

/* Reads "<comm>" after a pid. strace writes '>' in it as \76. Returns what follows; NULL if it has no end. */
static const char *parse_comm(const char *p, const char *end, struct tm_strace_line *l)
{
    const char *close = memchr(p, '>', (size_t)(end - p));
    l->comm = p + 1;
    l->comm_len = close ? (size_t)(close - l->comm) : 0;
    return close ? close + 1 : NULL;
}

/* Passes over the columns before a call: "(+ seconds) " (-r), "[number] " (-n) and "[address] " (-i). */
static const char *skip_columns(const char *p, const char *end)
{
    if (tm_chars_begin(p, end, "(+")) {
        const char *close = memchr(p, ')', (size_t)(end - p));
        p = close && close + 1 < end ? close + 2 : p;
    }
    while (p < end && *p == '[') {
        const char *q = p + 1;
        while (q < end && (*q == ' ' || *q == '?' || tm_text_is_digit(*q) || (*q >= 'a' && *q <= 'f')))
            q++;
        if (end - q < 2 || q[0] != ']' || q[1] != ' ')
            break;
        p = q + 2;
    }
    return p;
}

/* Reads "[pid N] " or "N ", if present, and "seconds.fraction ". N may be followed by "<comm>" (-Y). A time may also
 * be whole seconds: ten digits, more than a pid has. NULL if the head is something else. */
static const char *parse_head(const char *p, const char *end, struct tm_strace_line *l)
{
    while (p < end && *p == ' ')
        p++;
    bool bracket = tm_chars_begin(p, end, "[pid ");
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
        if (*q == '<' && (q = parse_comm(q, end, l)) == NULL)
            return NULL;
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
    if (!tm_chars_begin(p, end, " resumed>"))
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
    if (p == NULL || (p = skip_columns(p, end)) == end)
        return TM_E_INPUT;
    if (tm_chars_begin(p, end, "<... "))
        return parse_resumed(p, end, l);
    if (tm_chars_begin(p, end, "--- ") || tm_chars_begin(p, end, "+++ ")) {
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
    struct tm_buf call;  /* a call that a remark divides */
    struct tm_map names; /* string of the latest name of each thread, by tid */
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

/* Adds the name of the thread of L as a row derived from E, unless it has that name already. */
static enum tm_status add_name(struct strace *s, const struct tm_strace_line *l, const struct tm_event *e,
                               struct tm_error *err)
{
    struct tm_event name = {.kind = TM_KIND_TASK_RENAME, .clock = e->clock, .time_ns = e->time_ns, .tid = e->tid,
                            .flags = TM_EVENT_HAS_TID | TM_EVENT_DERIVED};
    uint32_t last;
    tm_buf_clear(&s->detail);
    enum tm_status st =
        tm_event_sink_string(s->text.context.sink, tm_text_at(l->comm, l->comm_len), &s->detail, &name.name, err);
    bool is_known = tm_map_find(&s->names, (uint64_t)l->tid, &last);
    if (st < 0 || (is_known && last == name.name))
        return st;
    if (!(name.name & TM_STRING_INLINE) && (is_known || s->names.count < NAMES_MAX) &&
        tm_map_set(&s->names, (uint64_t)l->tid, name.name) != TM_OK)
        return tm_error_nomem(err);
    name.detail = s->detail.data;
    name.detail_bytes = (uint32_t)s->detail.len;
    return tm_event_sink_add(s->text.context.sink, &name, err);
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
    if (st == TM_OK && l->what == TM_STRACE_RESUMED_UNFINISHED) {
        e.kind = TM_KIND_SLICE_BEGIN;
        e.flags = (e.flags & ~tm_event_raw_flags(15)) | TM_EVENT_DERIVED;
        e.raw_bytes = 0;
        st = tm_event_sink_add(s->text.context.sink, &e, err);
    }
    return st == TM_OK && l->comm ? add_name(s, l, &e, err) : st;
}

/* True for messages of strace itself ("strace: Process 7 attached"), what follows them in place of the rest of a call,
 * and stacks (-k: " > library(symbol+0x1) [0x2]"). */
static bool is_remark(const char *line, size_t len)
{
    const char *end = line + len;
    return tm_chars_begin(line, end, "strace: ") || tm_chars_begin(line, end, " <unfinished ...>") ||
           tm_chars_begin(line, end, " > ");
}

/* True if LINE is a call that "strace: Process N attached" divides: without -o, both are written to one place. *LEN is
 * then its length without the remark. */
static bool is_divided(const char *line, size_t *len)
{
    static const char before[] = "strace: Process ", after[] = " attached";
    const char *end = line + *len, *p;
    if (*len < sizeof after || memcmp(end - (sizeof after - 1), after, sizeof after - 1) != 0)
        return false;
    for (p = end - (sizeof after - 1); p > line && (tm_text_is_digit(p[-1]) || p[-1] == '<' || p[-1] == '>');)
        p--;
    if ((size_t)(p - line) < sizeof before || memcmp(p - (sizeof before - 1), before, sizeof before - 1) != 0)
        return false;
    *len = (size_t)(p - line) - (sizeof before - 1);
    return true;
}

/* Parses the LEN bytes that S has of a call, and MORE. TM_OK, TM_END if that is no call, or TM_E_SYSTEM. */
static enum tm_status parse_with(struct strace *s, size_t len, struct tm_text more, struct tm_strace_line *l,
                                 struct tm_error *err)
{
    s->call.len = len;
    if (tm_buf_add(&s->call, more.data, more.len) != TM_OK)
        return tm_error_nomem(err);
    return tm_strace_line_parse((const char *)s->call.data, s->call.len, l) == TM_OK ? TM_OK : TM_END;
}

/* Reads the current line, the first LEN bytes of which begin a call, and the line that has the rest of its arguments
 * and the result, if there is one. That line is counted in place of the remark. TM_END if LEN bytes begin no call;
 * nothing is consumed then. */
static enum tm_status read_divided(struct strace *s, size_t len, struct tm_error *err)
{
    const struct tm_text mark = tm_text_str(" <unfinished ...>");
    struct tm_text_reader *r = &s->text;
    struct tm_strace_line l;
    tm_buf_clear(&s->call);
    if (tm_buf_add(&s->call, r->line, len) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = parse_with(s, len, mark, &l, err);
    if (st != TM_OK)
        return st;
    tm_text_reader_pass(r);
    if ((st = tm_text_reader_peek(r, err)) < 0)
        return st;
    const bool is_other =
        st == TM_END || is_remark(r->line, r->len) || tm_strace_line_parse(r->line, r->len, &l) == TM_OK;
    st = is_other ? TM_END : parse_with(s, len, tm_text_at(r->line, r->len), &l, err);
    if (st == TM_OK) {
        tm_text_reader_not_shown(r);
        tm_text_reader_pass(r);
    } else if (st == TM_END) { /* it is interrupted, or nothing more is known of it */
        st = parse_with(s, len, mark, &l, err);
    }
    if (st < 0)
        return st;
    if (l.what == TM_STRACE_UNFINISHED && !l.has_tid)
        l.what = TM_STRACE_CALL; /* an instant: its end will state a thread */
    r->has_events = true;
    return add_line(s, &l, (const char *)s->call.data, s->call.len, err);
}

static enum tm_status strace_read(void *state, struct tm_error *err)
{
    struct strace *s = state;
    struct tm_text_reader *r = &s->text;
    struct tm_strace_line parsed;
    enum tm_status st = tm_text_reader_next(r, "system call", err);
    if (st != TM_OK)
        return st;
    size_t len = r->len;
    if (is_divided(r->line, &len) && len > 0 && (st = read_divided(s, len, err)) != TM_END)
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
    tm_buf_release(&s->call);
    tm_map_release(&s->names);
    free(s);
}

static bool strace_sniff(const uint8_t *head, size_t len)
{
    struct tm_strace_line l;
    const char *p = (const char *)head, *end = p + len, *eol;
    while ((eol = memchr(p, '\n', (size_t)(end - p))) != NULL && tm_chars_begin(p, eol, "strace: Process "))
        p = eol + 1;
    if (eol)
        return tm_strace_line_parse(p, (size_t)(eol - p), &l) == TM_OK;
    /* The line is longer than HEAD. Its head and a call must be visible. */
    l = (struct tm_strace_line){0};
    const char *q = parse_head(p, end, &l);
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
