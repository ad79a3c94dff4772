#include "format/dumpstate/dumpstate.h"

#include "format/dumpstate/battery.h"
#include "format/dumpstate/facts.h"
#include "format/dumpstate/section.h"
#include "format/logcat/rows.h"
#include "format/text_lines.h"
#include "stream/clock_id.h"

#include <stdlib.h>

struct dumpstate {
    struct tm_text_reader text;
    struct tm_dumpstate_section section;
    struct tm_logcat_report own; /* if the file is not in a bug report that is an archive */
    struct tm_logcat_rows rows;
    struct tm_battery battery;
    int64_t not_read;
};

static enum tm_status dumpstate_open(const struct tm_format_context *context, void **state, struct tm_error *err)
{
    struct tm_input in = {0};
    struct dumpstate *d = calloc(1, sizeof *d);
    if (d == NULL)
        return tm_error_nomem(err);
    *state = d;
    struct tm_logcat_report *report = context->report ? context->report : &d->own;
    enum tm_status st = tm_extent_open(&context->whole, &in, err);
    if (st == TM_OK)
        st = tm_dumpstate_facts_read(report, &in, err);
    tm_input_release(&in);
    d->text = (struct tm_text_reader){
        .context = *context, .max = TM_DUMPSTATE_LINE_MAX, .clock = TM_CLOCK_REALTIME, .has_events = true};
    tm_logcat_rows_init(&d->rows, context->sink, context->now_s, report);
    tm_battery_init(&d->battery, context->sink);
    return st;
}

static void dumpstate_close(void *state)
{
    struct dumpstate *d = state;
    if (d == NULL)
        return;
    tm_logcat_rows_release(&d->rows);
    tm_battery_release(&d->battery);
    tm_logcat_report_release(&d->own);
    free(d);
}

static enum tm_status finish(struct dumpstate *d, struct tm_error *err)
{
    enum tm_status st = tm_logcat_rows_finish(&d->rows, err);
    if (st == TM_OK)
        st = tm_battery_finish(&d->battery, err);
    if (st == TM_OK && d->not_read > 0)
        st = tm_event_sink_stat(d->text.context.sink, "dumpstate_lines_not_read", TRACEMERGE__SEVERITY__INFO,
                                d->not_read, err);
    return st < 0 ? st : TM_END;
}

/* Adds the events of LINE, which is of KIND. TM_END: it has none. */
static enum tm_status read_line(struct dumpstate *d, struct tm_text line, enum tm_dumpstate_line kind,
                                struct tm_error *err)
{
    struct tm_logcat_line message;
    if (kind == TM_DUMPSTATE_BATTERY)
        return tm_battery_line(&d->battery, line, err);
    return kind == TM_DUMPSTATE_LOG && tm_logcat_line_parse(tm_text_chars(line), line.len, &message) == TM_OK
               ? tm_logcat_rows_add(&d->rows, &message, err)
               : TM_END;
}

static enum tm_status dumpstate_read(void *state, struct tm_error *err)
{
    struct dumpstate *d = state;
    struct tm_text_reader *r = &d->text;
    enum tm_status st = tm_text_reader_next(r, "line", err);
    if (st != TM_OK)
        return st == TM_END ? finish(d, err) : st;
    const struct tm_text line = tm_text_at(r->line, r->len);
    st = read_line(d, line, tm_dumpstate_section_pass(&d->section, line), err);
    d->not_read += st == TM_END;
    tm_text_reader_pass(r);
    return st < 0 ? st : TM_OK;
}

static bool dumpstate_sniff(const uint8_t *head, size_t len)
{
    size_t at = 0;
    if (tm_text_begins(tm_text_at(head, len), TM_DUMPSTATE_BATTERY_HEAD))
        return true;
    while (at < len && head[at] == '=')
        at++;
    at += at < len && head[at] == '\r';
    return at > 0 && at < len && head[at] == '\n' &&
           tm_text_begins(tm_text_at(head + at + 1, len - at - 1), "== dumpstate: ");
}

const struct tm_format tm_format_dumpstate = {
    .type = TM_INPUT_ANDROID_DUMPSTATE,
    .priority = TM_PRIORITY_TRACE,
    .clock_policy = TRACEMERGE__CLOCK_POLICY__REALTIME_CLOCK,
    .sniff = dumpstate_sniff,
    .open = dumpstate_open,
    .read = dumpstate_read,
    .close = dumpstate_close,
    .is_text = true,
    .by_place = true,
    .reads_report = true,
};
