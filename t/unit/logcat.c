/* Unit tests of logcat text: dates, lines of every format with a time, years that the text does not state. */
#include "format/logcat/logcat.h"

#include "base/calendar.h"
#include "format/dumpstate/facts.h"
#include "format/dumpstate/section.h"
#include "format/logcat/logcat_line.h"
#include "format_run.h"
#include "tap.h"

static void test_calendar(void)
{
    is_int(tm_calendar_days(1970, 1, 1), 0);
    is_int(tm_calendar_days(2000, 2, 29), 11016);
    is_int(tm_calendar_days(2026, 11, 23), 20780);
    is_int(tm_calendar_days(1969, 12, 31), -1);
    is_int(tm_calendar_days(-1, 12, 31), -719529);
    is_int(tm_calendar_year(-1), 1969);
    is_int(tm_calendar_year(0), 1970);
    is_int(tm_calendar_year(-719529), -1);
    bool good = true;
    for (int64_t year = -800; year <= 2800; year++)
        good = good && tm_calendar_year(tm_calendar_days(year, 1, 1)) == year &&
               tm_calendar_year(tm_calendar_days(year, 12, 31)) == year;
    ok_named(good, "each year has its first and its last day");
    ok(tm_calendar_has(2024, 2, 29) && !tm_calendar_has(2023, 2, 29) && !tm_calendar_has(1900, 2, 29));
    ok(tm_calendar_has(2023, 12, 31) && !tm_calendar_has(2023, 4, 31) && !tm_calendar_has(2023, 1, 0));
}

static void test_dates(void)
{
    int64_t s = 0;
    ok(tm_calendar_read(tm_text_str("2024-02-29 23:59:58.123"), "-- ::", &s) && s == INT64_C(1709251198));
    ok(tm_calendar_read(tm_text_str("1970-01-01-00-00-01"), "-----", &s) && s == 1);
    static const char *const none[] = {"",                    "2024-02-29 23:59:5",  "2023-02-29 00:00:00",
                                       "2024-13-01 00:00:00", "2024-01-01 24:00:00", "2024-01-01 00:60:00",
                                       "2024-01-01T00:00:00", "2024-+1-01 00:00:00", "2024-01-00 00:00:00"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ok(!tm_calendar_read(tm_text_str(none[i]), "-- ::", &s));
}

/* Adds the message of LINE to REPORT, or takes it. */
static bool message(struct tm_logcat_report *report, bool takes, const char *line)
{
    struct tm_logcat_line l;
    return tm_logcat_line_parse(line, strlen(line), &l) == TM_OK &&
           (takes ? tm_logcat_report_take(report, &l) : tm_logcat_report_add(report, &l) == TM_OK);
}

static void test_report(void)
{
    struct tm_logcat_report report = {0};
    ok(message(&report, false, "11-23 07:36:20.123  1000  1  2 I T: m"));
    ok(message(&report, false, "11-23 07:36:20.123  1000  1  2 I T: m"));
    static const char *const others[] = {
        "11-24 07:36:20.123  1  2 I T: m", "11-23 07:36:20.124  1  2 I T: m", "11-23 07:36:20.123  2  2 I T: m",
        "11-23 07:36:20.123  1  1 I T: m", "11-23 07:36:20.123  1  2 W T: m", "11-23 07:36:20.123  1  2 I U: m",
        "11-23 07:36:20.123  1  2 I T: n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ok(!message(&report, true, others[i]));
    ok(message(&report, true, "11-23 07:36:20.123999  1  2 I T: m"));
    ok(message(&report, true, "2026-11-23 07:36:20.123  root  1  2 I T: m"));
    ok(!message(&report, true, "11-23 07:36:20.123  1  2 I T: m"));
    tm_logcat_report_release(&report);
}

/* Reads the facts of TEXT. */
static struct tm_logcat_report facts_of(const char *text)
{
    struct tm_logcat_report report = {0};
    struct tm_input in;
    struct tm_error err = {0};
    tm_input_init_bytes(&in, text, strlen(text));
    ok(tm_dumpstate_facts_read(&report, &in, &err) == TM_OK);
    tm_input_release(&in);
    tm_logcat_report_release(&report);
    return report;
}

#define ALARM "------ DUMPSYS (d) ------\nDUMP OF SERVICE alarm:\n"

static void test_facts(void)
{
    struct tm_logcat_report r = facts_of("====\n== dumpstate: 2024-01-01 00:00:30\n" ALARM
                                         "  nowRTC=1704047430510=2024-01-01 00:00:30.510 nowELAPSED=4\n");
    ok(r.has_made && r.made_s == INT64_C(1704067230));
    ok(r.has_zone && r.zone_ns == INT64_C(19800000000000)); /* 5:30 east */
    static const char *const none[] = {
        "  nowRTC=1704047430510=2024-01-01 00:00:30.510 nowELAPSED=4\n",
        ALARM "  nowRTC=1704047430510=2024-01-01 00:00:30.510\n",
        ALARM "  nowRTC=x=2024-01-01 00:00:30.510 nowELAPSED=4\n",
        ALARM "  nowRTC=1=2024-01-01 00:00:30.510 nowELAPSED=4\n",
        ALARM "DUMP OF SERVICE other:\n  nowRTC=1704047430510=2024-01-01 00:00:30.510 nowELAPSED=4\n"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ok(!facts_of(none[i]).has_zone);
}

static void test_sections(void)
{
    struct tm_dumpstate_section s = {0};
    static const struct {
        const char *line;
        enum tm_dumpstate_line want;
    } lines[] = {{"x", TM_DUMPSTATE_OTHER}, {"------ SYSTEM LOG (logcat) ------", TM_DUMPSTATE_OTHER},
                 {"x", TM_DUMPSTATE_LOG}, {"------ ", TM_DUMPSTATE_LOG},
                 {"------ 1s was the duration of 'SYSTEM LOG' ------", TM_DUMPSTATE_OTHER}, {"x", TM_DUMPSTATE_OTHER},
                 {"------ KERNEL LOG (dmesg) ------", TM_DUMPSTATE_OTHER}, {"x", TM_DUMPSTATE_OTHER},
                 {"------ RADIO LOG (logcat) ------", TM_DUMPSTATE_OTHER}, {"x", TM_DUMPSTATE_LOG},
                 {"------ DUMPSYS HIGH (dumpsys) ------", TM_DUMPSTATE_OTHER},
                 {"DUMP OF SERVICE HIGH alarm:", TM_DUMPSTATE_OTHER}, {"x", TM_DUMPSTATE_ALARM},
                 {"9,0,i,vers,36,1,A,B", TM_DUMPSTATE_BATTERY}, {"x", TM_DUMPSTATE_BATTERY},
                 {"DUMP OF SERVICE alarm:", TM_DUMPSTATE_OTHER}, {"x", TM_DUMPSTATE_ALARM},
                 {"------ CHECKIN BATTERYSTATS (dumpsys) ------", TM_DUMPSTATE_OTHER},
                 {"9,h,1", TM_DUMPSTATE_BATTERY},
                 {"------ DUMPSYS HIGH (dumpsys) ------", TM_DUMPSTATE_OTHER},
                 {"DUMP OF SERVICE HIGH alarm:", TM_DUMPSTATE_OTHER}, {"9,h,1", TM_DUMPSTATE_ALARM},
                 {"--------- 1s was the duration of dumpsys alarm, ending at: 2024", TM_DUMPSTATE_OTHER},
                 {"x", TM_DUMPSTATE_OTHER}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        is_int(tm_dumpstate_section_pass(&s, tm_text_str(lines[i].line)), lines[i].want);
}

/* Returns LINE as one word, to compare. */
static const char *shown(const char *line, char *out, size_t size)
{
    struct tm_logcat_line l;
    if (tm_logcat_line_parse(line, strlen(line), &l) != TM_OK)
        return "none";
    snprintf(out, size, "%d %d-%d-%d %lld%+lld %.*s %lld/%lld %d '%.*s' '%.*s'", l.time, l.has_year ? l.year : -1,
             l.month, l.day, (long long)l.ns, (long long)(l.has_zone ? l.zone_ns / 1000000000 : 0), (int)l.uid.len,
             l.uid.data ? tm_text_chars(l.uid) : "", (long long)l.pid, (long long)(l.has_tid ? l.tid : -1), l.priority,
             (int)l.tag.len, l.tag.data ? tm_text_chars(l.tag) : "", (int)l.message.len, tm_text_chars(l.message));
    return out;
}

#define shows(line, want) is_str(shown(line, text, sizeof text), want)

static void test_lines(void)
{
    char text[300];
    shows("11-23 07:36:20.123  1234  1250 I Tag     : text", "0 -1-11-23 27380123000000+0  1234/1250 4 'Tag' 'text'");
    shows("2026-11-23 07:36:20.123456  1234  1250 V a:b: c: d",
          "0 2026-11-23 27380123456000+0  1234/1250 2 'a:b' 'c: d'");
    shows("11-23 00:00:00.123456789 +0530 10023  1 2 D T: m", "0 -1-11-23 123456789+19800 10023 1/2 3 'T' 'm'");
    shows("11-23 07:36:20.123 -0100 root     0     0 F init    : ",
          "0 -1-11-23 27380123000000-3600 root 0/0 7 'init' ''");
    shows("         1423944916.375  7  8 E T: m", "1 -1-0-0 1423944916375000000+0  7/8 6 'T' 'm'");
    shows("  1234.567891  7  8 W T: m", "2 -1-0-0 1234567891000+0  7/8 5 'T' 'm'");
    shows("02-29 07:36:20.123  1  2 S T:", "0 -1-2-29 27380123000000+0  1/2 0 'T' ''");
    shows("11-23 07:36:20.123  1  2 I no colon", "0 -1-11-23 27380123000000+0  1/2 4 '' 'no colon'");
    shows("11-23 07:36:20.123 I/Tag (x) ( 123): m", "0 -1-11-23 27380123000000+0  123/-1 4 'Tag (x)' 'm'");
    shows("11-23 07:36:20.123 W/T(10023: 123): m", "0 -1-11-23 27380123000000+0 10023 123/-1 5 'T' 'm'");
    shows("\x1b[38;5;40m11-23 07:36:20.123  1  2 I T: m\x1b[0m", "0 -1-11-23 27380123000000+0  1/2 4 'T' 'm'");
    static const char *const none[] = {
        "", "I/Tag(12): m", "13-01 07:36:20.123  1  2 I T: m", "2023-02-29 07:36:20.123  1  2 I T: m",
        "11-23 24:36:20.123  1  2 I T: m", "11-23 07:36:70.123  1  2 I T: m", "11-23 07:36:20  1  2 I T: m",
        "11-23 07:36:20.123  1  I T: m", "11-23 07:36:20.123  1  x I T: m", "11-23 07:36:20.123  1 2 3 4 I T: m",
        "11-23 07:36:20.123  4294967296  2 I T: m", "1.5  1  2 I T: m", "11-23 07:36:20.123", "\x1b[1",
        "11-23 07:36:20.123 I/Tag( x): m", "12.345  1  2 Info T: m"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        shows(none[i], "none");
}

#define DAY INT64_C(86400)

/* LINES (with newlines), read DAYS after 1970, have these times. */
static bool are_at(const char *lines, int64_t days, const char *times)
{
    static const struct tm_format_options options = {0};
    struct format_run run = format_run_at(days * DAY, &tm_format_logcat, lines, strlen(lines), 0, &options);
    char got[400] = "";
    for (const char *p = (const char *)run.text.data; (p = strstr(p, "log ")) != NULL; p += 4) {
        size_t len = strlen(got);
        snprintf(got + len, sizeof got - len, "%lld ", atoll(p + 4) / 1000000000 / DAY);
    }
    bool good = run.status == TM_END && strcmp(got, times) == 0;
    if (!good)
        printf("# got %s: %s\n%s", got, run.err.text, (const char *)run.text.data);
    format_run_release(&run);
    return good;
}

static void test_years(void)
{
    /* day 20819 is 2027-01-01, 20454 is 2026-01-01 */
    ok(are_at("12-31 12:00:00.000  1  2 I T: m\n01-01 12:00:00.000  1  2 I T: m\n", 20819, "20818 20819 "));
    ok(are_at("01-03 12:00:00.000  1  2 I T: m\n12-30 12:00:00.000  1  2 I T: m\n", 20820, "20456 20452 "));
    ok_named(are_at("01-01 23:00:00.000  1  2 I T: m\n", 20819, "20819 "), "hours ahead are the zone's");
    ok_named(are_at("01-02 12:00:00.000  1  2 I T: m\n", 20819, "20455 "), "what is further ahead is of last year");
    ok(are_at("02-29 12:00:00.000  1  2 I T: m\n03-01 12:00:00.000  1  2 I T: m\n", 20819, "19782 19783 "));
    ok(are_at("2020-12-31 23:59:59.000  1  2 I T: m\n01-01 00:00:01.000  1  2 I T: m\n", 20819, "18627 18628 "));
    ok_named(are_at("01-01 00:30:00.000 +0100  1  2 I T: m\n", 20819, "20818 "), "a zone");
}

static void test_rows(void)
{
    ok(format_gives(&tm_format_logcat,
                    "--------- beginning of main\n1970-01-01 00:00:01.000 +0000 root  1  2 I T: one\n\tat two\r\n"
                    "    at three\n1970-01-01 00:00:02.5 +0000  0  0 W K: k\nrubbish\n",
                    "log 1000000000 pid=1 tid=2 thread 'one\\x0a\\x09at two\\x0a    at three' [T] value=4 uid='root'\n"
                    "log 2500000000 'k' [K] value=5\naccount damaged 1 at 141\n"));
    ok(format_gives(&tm_format_logcat_monotonic, "    1.500 10001  1  2 E T: m\n",
                    "log 1500000000 pid=1 tid=2 thread 'm' [T] value=6 uid=10001\n"));
    ok(format_gives(&tm_format_logcat, "01-01 00:00:01.000 D/T( 7): m\n",
                    "log 1000000000 pid=7 tid=7 thread 'm' [T] value=3\nstat logcat_lines_without_year 1\n"
                    "stat logcat_lines_without_zone 1\n"));
    ok(format_refuses(&tm_format_logcat, "--------- beginning of main\n", "byte 28: no line of a log in the text"));
}

static bool is_sniffed(const struct tm_format *format, const char *head)
{
    return tm_format_sniff((const uint8_t *)head, strlen(head)) == format;
}

static void test_sniff(void)
{
    ok(is_sniffed(&tm_format_logcat, "--------- beginning of main\n11-23 07:36:20.123  1  2 I T: m\n"));
    ok(is_sniffed(&tm_format_logcat, "--------- beginning of main\n"));
    ok(is_sniffed(&tm_format_logcat, "11-23 07:36:20.123  1  2 I T: m"));
    ok(is_sniffed(&tm_format_logcat, "  1423944916.375  7  8 E T: m\n"));
    ok(is_sniffed(&tm_format_logcat_monotonic, "   16.375  7  8 E T: m\n"));
    ok(is_sniffed(NULL, "11-23 07:36:20.123 nothing of the kind\n"));
}

int main(void)
{
    test_calendar();
    test_dates();
    test_report();
    test_facts();
    test_sections();
    test_lines();
    test_years();
    test_rows();
    test_sniff();
    return tap_done();
}
