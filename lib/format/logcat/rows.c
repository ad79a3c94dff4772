#include "format/logcat/rows.h"

#include "base/calendar.h"
#include "base/checked.h"
#include "base/decimal.h"
#include "base/time_units.h"
#include "format/logcat/report.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

enum { S_PER_DAY = 24 * 60 * 60, LEAP_YEARS = 8 /* enough years to contain a 29th of February */ };

void tm_logcat_rows_init(struct tm_logcat_rows *rows, struct tm_event_sink *sink, int64_t now_s,
                         const struct tm_logcat_report *report)
{
    *rows = (struct tm_logcat_rows){.sink = sink, .near_s = now_s};
    if (report && report->has_zone) {
        rows->has_zone = true;
        rows->zone_ns = report->zone_ns;
    }
    if (report && report->has_made) {
        rows->is_made_known = true;
        rows->near_s = report->made_s - rows->zone_ns / TM_NS_PER_S;
    }
}

void tm_logcat_rows_release(struct tm_logcat_rows *rows)
{
    tm_buf_release(&rows->tag);
    tm_buf_release(&rows->message);
    tm_buf_release(&rows->uid);
    tm_buf_release(&rows->package);
    tm_buf_release(&rows->detail);
}

/* Returns the nanoseconds of LINE since midnight, UTC. They may be in another day. */
static int64_t day_ns(const struct tm_logcat_rows *rows, const struct tm_logcat_line *line)
{
    return line->ns - (line->has_zone ? line->zone_ns : rows->zone_ns);
}

/* Returns the time of LINE in seconds since 1970, UTC, if its year is YEAR. */
static int64_t second_in(const struct tm_logcat_rows *rows, const struct tm_logcat_line *line, int64_t year)
{
    return tm_calendar_days(year, line->month, line->day) * S_PER_DAY + day_ns(rows, line) / TM_NS_PER_S;
}

/* Returns the year of LINE, which states none. If no line before it has a date, this is the newest year that puts it at
 * most a day after now. Otherwise it is the year that puts it nearest to the last date. */
static int64_t find_year(const struct tm_logcat_rows *rows, const struct tm_logcat_line *line)
{
    int64_t latest = tm_calendar_year(rows->near_s / S_PER_DAY) + 1, best = latest;
    uint64_t best_distance = UINT64_MAX;
    for (int64_t year = latest; year > latest - LEAP_YEARS - 2; year--) {
        int64_t second = second_in(rows, line, year);
        uint64_t distance = (uint64_t)(second > rows->near_s ? second - rows->near_s : rows->near_s - second);
        bool is_future = !rows->has_near && second > rows->near_s + S_PER_DAY;
        if (is_future || distance >= best_distance || !tm_calendar_has(year, line->month, line->day))
            continue;
        best = year;
        best_distance = distance;
    }
    return best;
}

/* Converts the date of LINE to a reading of REALTIME. False: it does not fit. */
static bool date_ns(struct tm_logcat_rows *rows, const struct tm_logcat_line *line, int64_t *ns)
{
    int64_t year = line->has_year ? line->year : find_year(rows, line), days_ns;
    rows->without_year += !line->has_year && !rows->is_made_known;
    rows->without_zone += !line->has_zone && !rows->has_zone;
    if (!tm_mul_i64(tm_calendar_days(year, line->month, line->day), S_PER_DAY * TM_NS_PER_S, &days_ns) ||
        !tm_add_i64(days_ns, day_ns(rows, line), ns))
        return false;
    rows->near_s = second_in(rows, line, year);
    rows->has_near = true;
    return true;
}

/* Returns the text in BUF, which can be empty. */
static struct tm_text text_of(const struct tm_buf *buf)
{
    return tm_text_at(buf->len ? buf->data : (const uint8_t *)"", buf->len);
}

/* Adds the args of the pending row. */
static enum tm_status put_args(struct tm_logcat_rows *rows, struct tm_error *err)
{
    int64_t number;
    enum tm_status st = TM_OK;
    if (rows->uid.len && tm_decimal_int((const char *)rows->uid.data, rows->uid.len, &number) == TM_OK)
        st = tm_detail_arg_int(&rows->detail, "uid", number);
    else if (rows->uid.len)
        st = tm_detail_arg_text(&rows->detail, "uid", rows->uid.data, rows->uid.len);
    if (st >= 0 && rows->package.len)
        st = tm_detail_arg_text(&rows->detail, "package", rows->package.data, rows->package.len);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the pending row if there is one. */
static enum tm_status put_pending(struct tm_logcat_rows *rows, struct tm_error *err)
{
    struct tm_event *e = &rows->pending;
    if (!rows->has_pending)
        return TM_OK;
    rows->has_pending = false;
    rows->repeated_count += rows->is_repeated;
    if (rows->is_repeated)
        return TM_OK;
    tm_buf_clear(&rows->detail);
    enum tm_status st = tm_event_sink_string(rows->sink, text_of(&rows->message), &rows->detail, &e->name, err);
    if (st == TM_OK && rows->has_tag)
        st = tm_event_sink_string(rows->sink, text_of(&rows->tag), &rows->detail, &e->category, err);
    if (st >= 0 && rows->sink->want_detail)
        st = put_args(rows, err);
    if (st < 0)
        return st;
    e->detail = rows->detail.data;
    e->detail_bytes = (uint32_t)rows->detail.len;
    return tm_event_sink_add(rows->sink, e, err);
}

static bool copy(struct tm_buf *buf, struct tm_text text)
{
    tm_buf_clear(buf);
    return text.len == 0 || tm_buf_add(buf, text.data, text.len) == TM_OK;
}

enum tm_status tm_logcat_rows_add(struct tm_logcat_rows *rows, const struct tm_logcat_line *line, struct tm_error *err)
{
    int64_t ns = line->ns;
    enum tm_status st = put_pending(rows, err);
    if (st < 0)
        return st;
    if (line->time == TM_LOGCAT_DATE && !date_ns(rows, line, &ns))
        return TM_END;
    rows->pending = (struct tm_event){
        .kind = TM_KIND_LOG,
        .clock = line->time == TM_LOGCAT_MONOTONIC ? TM_CLOCK_MONOTONIC : TM_CLOCK_REALTIME,
        .time_ns = ns,
        .pid = line->pid,
        .tid = line->has_tid ? line->tid : line->pid,
        .value = (uint64_t)line->priority,
        .flags = TM_EVENT_HAS_VALUE};
    if (line->pid || line->tid) /* pid 0 is the kernel's; its messages belong to no thread */
        rows->pending.flags |= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD);
    rows->has_pending = true;
    rows->has_tag = line->tag.data != NULL;
    rows->is_repeated = rows->repeated && tm_logcat_report_take(rows->repeated, line);
    return copy(&rows->tag, line->tag) && copy(&rows->message, line->message) && copy(&rows->uid, line->uid) &&
                   copy(&rows->package, line->package)
               ? TM_OK
               : tm_error_nomem(err);
}

enum tm_status tm_logcat_rows_continue(struct tm_logcat_rows *rows, const char *text, size_t len, struct tm_error *err)
{
    if (!rows->has_pending || len == 0 || (text[0] != ' ' && text[0] != '\t') ||
        rows->message.len + 1 + len > TM_LOGCAT_MESSAGE_MAX)
        return TM_END;
    if (tm_buf_add_byte(&rows->message, '\n') != TM_OK || tm_buf_add(&rows->message, text, len) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

static enum tm_status put_stat(struct tm_logcat_rows *rows, const char *name, int64_t value, struct tm_error *err)
{
    return value == 0 ? TM_OK : tm_event_sink_stat(rows->sink, name, TRACEMERGE__SEVERITY__INFO, value, err);
}

enum tm_status tm_logcat_rows_finish(struct tm_logcat_rows *rows, struct tm_error *err)
{
    enum tm_status st = put_pending(rows, err);
    if (st >= 0)
        st = put_stat(rows, "logcat_lines_without_year", rows->without_year, err);
    if (st >= 0)
        st = put_stat(rows, "logcat_lines_without_zone", rows->without_zone, err);
    if (st >= 0)
        st = put_stat(rows, "logcat_messages_repeated", rows->repeated_count, err);
    return st < 0 ? st : TM_OK;
}
