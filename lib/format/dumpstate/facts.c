#include "format/dumpstate/facts.h"

#include "base/calendar.h"
#include "base/checked.h"
#include "base/time_units.h"
#include "format/dumpstate/section.h"
#include "format/text_lines.h"

enum { MS_PER_S = 1000, MS_PER_DAY = 24 * 60 * 60 * MS_PER_S, MS_DIGITS = 3 };

/* "  nowRTC=1629844744041=2021-08-24 23:39:04.041 nowELAPSED=403532": the same time in UTC and in local time */
static void read_zone(struct tm_logcat_report *report, struct tm_text line)
{
    struct tm_text utc;
    int64_t utc_ms, local_s, ms, zone_ms;
    if (!tm_text_begins(line, "  nowRTC=") || tm_text_find(line, " nowELAPSED=") == NULL)
        return;
    line = tm_text_after(line, strlen("  nowRTC="));
    if (!tm_text_cut(&line, "=", &utc) || !tm_text_int(utc, &utc_ms) || !tm_calendar_read(line, "-- ::", &local_s))
        return;
    line = tm_text_after(line, strlen("2021-08-24 23:39:04"));
    if (line.len < 1 + MS_DIGITS || line.data[0] != '.' || !tm_text_int(tm_text_at(line.data + 1, MS_DIGITS), &ms) ||
        !tm_sub_i64(local_s * MS_PER_S + ms, utc_ms, &zone_ms) || zone_ms <= -MS_PER_DAY || zone_ms >= MS_PER_DAY)
        return;
    report->has_zone = true;
    report->zone_ns = zone_ms * TM_NS_PER_MS;
}

/* Reads "== dumpstate: 2021-08-24 23:39:04", local time. False: LINE is another one. */
static bool read_date(struct tm_logcat_report *report, struct tm_text line)
{
    static const char head[] = "== dumpstate: ";
    if (!tm_text_begins(line, head) ||
        !tm_calendar_read(tm_text_after(line, sizeof head - 1), "-- ::", &report->made_s))
        return false;
    report->has_made = true;
    return true;
}

enum tm_status tm_dumpstate_facts_read(struct tm_logcat_report *report, struct tm_input *in, struct tm_error *err)
{
    struct tm_text_reader reader = {.context = {.input = in}, .max = TM_DUMPSTATE_LINE_MAX};
    struct tm_dumpstate_section section = {0};
    struct tm_logcat_line message;
    bool has_date = false; /* later sections may quote the head of another report */
    enum tm_status st;
    while ((st = tm_text_reader_peek(&reader, err)) == TM_OK) {
        const struct tm_text line = tm_text_at(reader.line, reader.len);
        switch (tm_dumpstate_section_pass(&section, line)) {
        case TM_DUMPSTATE_LOG:
            if (tm_logcat_line_parse(reader.line, reader.len, &message) == TM_OK &&
                tm_logcat_report_add(report, &message) == TM_E_SYSTEM)
                return tm_error_nomem(err);
            break;
        case TM_DUMPSTATE_ALARM:
            read_zone(report, line);
            break;
        case TM_DUMPSTATE_BATTERY:
            break;
        case TM_DUMPSTATE_OTHER:
            has_date = has_date || read_date(report, line);
            break;
        }
        tm_text_reader_pass(&reader);
    }
    if (st == TM_E_INPUT)
        *err = (struct tm_error){0};
    return st == TM_END || st == TM_E_INPUT ? TM_OK : st;
}
