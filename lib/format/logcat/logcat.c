#include "format/logcat/logcat.h"

#include "format/logcat/logcat_line.h"
#include "format/logcat/rows.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"

#include <stdlib.h>

struct logcat {
    struct tm_text_reader text;
    struct tm_logcat_rows rows;
};

static enum tm_status logcat_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct logcat *l = calloc(1, sizeof *l);
    if (l == NULL)
        return tm_error_nomem(err);
    l->text = (struct tm_text_reader){.context = *context, .max = TM_LOGCAT_LINE_MAX, .clock = TM_CLOCK_REALTIME};
    tm_logcat_rows_init(&l->rows, context->sink, context->now_s, context->report);
    tm_logcat_rows_leave_out(&l->rows, context->report);
    *state = l;
    return TM_OK;
}

static void logcat_close(void *state)
{
    struct logcat *l = state;
    if (l == NULL)
        return;
    tm_logcat_rows_release(&l->rows);
    free(l);
}

static enum tm_status logcat_read(void *state, struct tm_error *err)
{
    struct logcat *l = state;
    struct tm_text_reader *r = &l->text;
    struct tm_logcat_line line;
    enum tm_status st = tm_text_reader_next(r, "line of a log", err);
    if (st == TM_END)
        return (st = tm_logcat_rows_finish(&l->rows, err)) < 0 ? st : TM_END;
    if (st < 0)
        return st;
    bool is_message = tm_logcat_line_parse(r->line, r->len, &line) == TM_OK;
    st = is_message ? tm_logcat_rows_add(&l->rows, &line, err)
                    : tm_logcat_rows_continue(&l->rows, r->line, r->len, err);
    if (st == TM_OK && is_message)
        r->has_events = true;
    else if (st == TM_END && (is_message || !tm_logcat_line_is_divider(r->line, r->len)))
        tm_text_reader_damaged(r);
    tm_text_reader_pass(r);
    return st < 0 ? st : TM_OK;
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
    .reads_report = true,
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
    .reads_report = true,
};
