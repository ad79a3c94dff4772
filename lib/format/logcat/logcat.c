#include "format/logcat/logcat.h"

#include "base/calendar.h"
#include "base/checked.h"
#include "base/decimal.h"
#include "format/logcat/logcat_line.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

#include <stdlib.h>

#define NS_PER_S INT64_C(1000000000)

enum { S_PER_DAY = 24 * 60 * 60, LEAP_YEARS = 8 /* enough years to contain a 29th of February */ };

struct logcat {
    struct tm_text_reader text;
    /* the second of the last date; before the first date, the latest second that is not in the future */
    int64_t near_s;
    bool has_near;
    bool has_pending;   /* a row is pending until its message ends */
    bool has_tag;       /* of the pending row */
    struct tm_event pending;
    struct tm_buf tag, message, uid, package; /* of the pending row */
    struct tm_buf detail;
    int64_t without_year, without_zone;
};

static enum tm_status logcat_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct logcat *l = calloc(1, sizeof *l);
    if (l == NULL)
        return tm_error_nomem(err);
    l->text = (struct tm_text_reader){.context = *context, .max = TM_LOGCAT_LINE_MAX, .clock = TM_CLOCK_REALTIME};
    l->near_s = context->now_s;
    *state = l;
    return TM_OK;
}

static void logcat_close(void *state)
{
    struct logcat *l = state;
    if (l == NULL)
        return;
    tm_buf_release(&l->tag);
    tm_buf_release(&l->message);
    tm_buf_release(&l->uid);
    tm_buf_release(&l->package);
    tm_buf_release(&l->detail);
    free(l);
}

/* Returns the time of LINE in seconds since 1970, UTC, if its year is YEAR. */
static int64_t second_in(const struct tm_logcat_line *line, int64_t year)
{
    return tm_calendar_days(year, line->month, line->day) * S_PER_DAY + (line->ns - line->zone_ns) / NS_PER_S;
}

/* Returns the year of LINE, which states none. If no line before it has a date, this is the newest year that puts it at
 * most a day after now. Otherwise it is the year that puts it nearest to the last date. */
static int64_t find_year(const struct logcat *l, const struct tm_logcat_line *line)
{
    int64_t latest = tm_calendar_year(l->near_s / S_PER_DAY) + 1, best = latest;
    uint64_t best_distance = UINT64_MAX;
    for (int64_t year = latest; year > latest - LEAP_YEARS - 2; year--) {
        int64_t second = second_in(line, year);
        uint64_t distance = (uint64_t)(second > l->near_s ? second - l->near_s : l->near_s - second);
        bool is_future = !l->has_near && second > l->near_s + S_PER_DAY;
        if (is_future || distance >= best_distance || !tm_calendar_has(year, line->month, line->day))
            continue;
        best = year;
        best_distance = distance;
    }
    return best;
}

/* Converts the date of LINE to a reading of REALTIME. False: it does not fit. */
static bool date_ns(struct logcat *l, const struct tm_logcat_line *line, int64_t *ns)
{
    int64_t year = line->has_year ? line->year : find_year(l, line), day_ns;
    l->without_year += !line->has_year;
    l->without_zone += !line->has_zone;
    if (!tm_mul_i64(tm_calendar_days(year, line->month, line->day), S_PER_DAY * NS_PER_S, &day_ns) ||
        !tm_add_i64(day_ns, line->ns - line->zone_ns, ns))
        return false;
    l->near_s = second_in(line, year);
    l->has_near = true;
    return true;
}

/* Returns the text in BUF, which can be empty. */
static struct tm_text text_of(const struct tm_buf *buf)
{
    return tm_text_at(buf->len ? buf->data : (const uint8_t *)"", buf->len);
}

/* Adds the args of the pending row. */
static enum tm_status put_args(struct logcat *l, struct tm_error *err)
{
    int64_t number;
    enum tm_status st = TM_OK;
    if (l->uid.len && tm_decimal_int((const char *)l->uid.data, l->uid.len, &number) == TM_OK)
        st = tm_detail_arg_int(&l->detail, "uid", number);
    else if (l->uid.len)
        st = tm_detail_arg_text(&l->detail, "uid", l->uid.data, l->uid.len);
    if (st >= 0 && l->package.len)
        st = tm_detail_arg_text(&l->detail, "package", l->package.data, l->package.len);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the pending row if there is one. */
static enum tm_status put_pending(struct logcat *l, struct tm_error *err)
{
    struct tm_event_sink *sink = l->text.context.sink;
    struct tm_event *e = &l->pending;
    if (!l->has_pending)
        return TM_OK;
    l->has_pending = false;
    tm_buf_clear(&l->detail);
    enum tm_status st =
        tm_event_sink_string(sink, text_of(&l->message), &l->detail, &e->name, err);
    if (st == TM_OK && l->has_tag)
        st = tm_event_sink_string(sink, text_of(&l->tag), &l->detail, &e->category, err);
    if (st >= 0 && sink->want_detail)
        st = put_args(l, err);
    if (st < 0)
        return st;
    e->detail = l->detail.data;
    e->detail_bytes = (uint32_t)l->detail.len;
    return tm_event_sink_add(sink, e, err);
}

static bool copy(struct tm_buf *buf, struct tm_text text)
{
    tm_buf_clear(buf);
    return text.len == 0 || tm_buf_add(buf, text.data, text.len) == TM_OK;
}

/* Adds the pending row and makes LINE the pending one. */
static enum tm_status begin(struct logcat *l, const struct tm_logcat_line *line, struct tm_error *err)
{
    int64_t ns = line->ns;
    enum tm_status st = put_pending(l, err);
    if (st < 0)
        return st;
    if (line->time == TM_LOGCAT_DATE && !date_ns(l, line, &ns)) {
        tm_text_reader_damaged(&l->text);
        return TM_OK;
    }
    l->pending = (struct tm_event){
        .kind = TM_KIND_LOG,
        .clock = line->time == TM_LOGCAT_MONOTONIC ? TM_CLOCK_MONOTONIC : TM_CLOCK_REALTIME,
        .time_ns = ns,
        .pid = line->pid,
        .tid = line->has_tid ? line->tid : line->pid,
        .value = (uint64_t)line->priority,
        .flags = TM_EVENT_HAS_VALUE};
    if (line->pid || line->tid) /* pid 0 is the kernel's; its messages belong to no thread */
        l->pending.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    l->text.has_events = true;
    l->has_pending = true;
    l->has_tag = line->tag.data != NULL;
    return copy(&l->tag, line->tag) && copy(&l->message, line->message) && copy(&l->uid, line->uid) &&
                   copy(&l->package, line->package)
               ? TM_OK
               : tm_error_nomem(err);
}

/* True if the current line continues the message before it. */
static bool continues_message(const struct logcat *l)
{
    const struct tm_text_reader *r = &l->text;
    return l->has_pending && r->len > 0 && (r->line[0] == ' ' || r->line[0] == '\t') &&
           l->message.len + 1 + r->len <= TM_LOGCAT_MESSAGE_MAX;
}

static enum tm_status put_stat(struct logcat *l, const char *name, int64_t value, struct tm_error *err)
{
    return value == 0 ? TM_OK
                      : tm_event_sink_stat(l->text.context.sink, name, TRACEMERGE__SEVERITY__INFO, value, err);
}

static enum tm_status finish(struct logcat *l, struct tm_error *err)
{
    enum tm_status st = put_pending(l, err);
    if (st >= 0)
        st = put_stat(l, "logcat_lines_without_year", l->without_year, err);
    if (st >= 0)
        st = put_stat(l, "logcat_lines_without_zone", l->without_zone, err);
    return st < 0 ? st : TM_END;
}

static enum tm_status logcat_read(void *state, struct tm_error *err)
{
    struct logcat *l = state;
    struct tm_text_reader *r = &l->text;
    struct tm_logcat_line line;
    enum tm_status st = tm_text_reader_next(r, "line of a log", err);
    if (st != TM_OK)
        return st == TM_END ? finish(l, err) : st;
    if (tm_logcat_line_parse(r->line, r->len, &line) == TM_OK) {
        st = begin(l, &line, err);
    } else if (continues_message(l)) {
        if (tm_buf_add_byte(&l->message, '\n') != TM_OK || tm_buf_add(&l->message, r->line, r->len) != TM_OK)
            st = tm_error_nomem(err);
    } else if (!tm_logcat_line_is_divider(r->line, r->len)) {
        tm_text_reader_damaged(r);
    }
    tm_text_reader_pass(r);
    return st;
}

/* Parses the first line that is not a divider. A line that is longer than HEAD is parsed up to its end. TM_END: there
 * are only dividers. TM_E_INPUT: the line is not logcat's. */
static enum tm_status first_line(const uint8_t *head, size_t len, struct tm_logcat_line *line)
{
    static const char divider[] = "--------- beginning of ";
    const char *p = (const char *)head, *end = p + len;
    while (p < end) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        const char *stop = eol ? eol : end;
        size_t n = (size_t)(stop - p) - (stop > p && stop[-1] == '\r');
        if (!tm_logcat_line_is_divider(p, n))
            return tm_logcat_line_parse(p, n, line);
        p = eol ? eol + 1 : end;
    }
    return tm_chars_begin((const char *)head, end, divider) ? TM_END : TM_E_INPUT;
}

static bool logcat_sniff(const uint8_t *head, size_t len)
{
    struct tm_logcat_line line = {0};
    enum tm_status st = first_line(head, len, &line);
    return st >= 0 && (st == TM_END || line.time != TM_LOGCAT_MONOTONIC);
}

static bool logcat_monotonic_sniff(const uint8_t *head, size_t len)
{
    struct tm_logcat_line line = {0};
    return first_line(head, len, &line) == TM_OK && line.time == TM_LOGCAT_MONOTONIC;
}

const struct tm_format tm_format_logcat = {
    .type = TM_INPUT_ANDROID_LOGCAT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = logcat_sniff,
    .open = logcat_open,
    .read = logcat_read,
    .close = logcat_close,
    .is_text = true,
};

const struct tm_format tm_format_logcat_monotonic = {
    .type = TM_INPUT_ANDROID_LOGCAT,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__MONOTONIC_CLOCK,
    .sniff = logcat_monotonic_sniff,
    .open = logcat_open,
    .read = logcat_read,
    .close = logcat_close,
    .is_text = true,
};
