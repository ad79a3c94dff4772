/* Unit tests of the journal's two formats: fields, values of any bytes, clocks of boots, snapshots, damage. */
#include "format/journal/entry.h"
#include "format/journal/journal.h"

#include "format_run.h"
#include "tap.h"

#define BOOT_A "0123456789abcdef0123456789abcdef"
#define BOOT_B "fedcba9876543210fedcba9876543210"

#define JSON(realtime, monotonic, boot, rest) \
    "{\"__REALTIME_TIMESTAMP\":\"" realtime "\",\"__MONOTONIC_TIMESTAMP\":\"" monotonic "\",\"_BOOT_ID\":\"" boot \
    "\"," rest "}\n"
#define EXPORT(realtime, monotonic, boot, rest) \
    "__REALTIME_TIMESTAMP=" realtime "\n__MONOTONIC_TIMESTAMP=" monotonic "\n_BOOT_ID=" boot "\n" rest "\n"

#define A_ARG " _BOOT_ID='" BOOT_A "'"

/* Three entries with all fields that become columns, in both formats. */
static const char rows[] =
    "log 5000 pid=7 tid=8 thread 'hello' [tag] value=6" A_ARG " PRIORITY=3 _COMM='sh' _UID=1000\n"
    "task_rename 5000 pid=7 tid=7 'sh' derived\n"
    "log 6000 pid=7 tid=7 thread 'a\\x0ab\xff' [sh] value=4" A_ARG " _COMM='sh' X='\\x00=\\x0a'\n"
    "log 7000 '' value=3" A_ARG " PRIORITY=7\n";

static void test_rows(void)
{
    ok(format_gives(&tm_format_journal_json,
                    JSON("1000005", "5", BOOT_A,
                         "\"PRIORITY\":\"3\",\"_PID\":\"7\",\"_TID\":\"8\",\"_COMM\":\"sh\",\"_UID\":\"1000\","
                         "\"SYSLOG_IDENTIFIER\":\"tag\",\"__CURSOR\":\"s=1\",\"MESSAGE\":\"h\\u0065llo\"")
                    "\n\x1e" JSON("1000006", "6", BOOT_A, "\"_PID\":\"7\",\"_COMM\":\"sh\",\"MESSAGE\":[97,10,98,255],"
                                  "\"X\":[0,61,10]")
                    "data: " JSON("1000007", "7", BOOT_A, "\"PRIORITY\":[\"7\"]") "\n\n",
                    rows));
    static const char text[] =
        EXPORT("1000005", "5", BOOT_A,
               "PRIORITY=3\n_PID=7\n_TID=8\n_COMM=sh\n_UID=1000\nSYSLOG_IDENTIFIER=tag\n__CURSOR=s=1\nMESSAGE=hello\n")
        EXPORT("1000006", "6", BOOT_A,
               "_PID=7\n_COMM=sh\nMESSAGE\n\4\0\0\0\0\0\0\0a\nb\xff\nX\n\3\0\0\0\0\0\0\0\0=\n\n")
        "\n" EXPORT("1000007", "7", BOOT_A, "PRIORITY=7\n");
    static const struct tm_format_options options = {TM_DAMAGE_HALT, false};
    for (size_t chunk = 0; chunk < 12; chunk += 1 + chunk * 10) {
        struct format_run run = format_run(&tm_format_journal_export, text, sizeof text - 1, chunk, &options);
        ok(run.status == TM_END && format_run_is(&run, rows));
        format_run_release(&run);
    }
    ok_named(format_gives(&tm_format_journal_json,
                          JSON("9", "5", BOOT_A, "\"X\":null,\"Y\":[\"1\",\"2\"],\"lower\":\"no\""),
                          "log 5000 '' value=4" A_ARG " Y='1' Y='2'\nstat journal_fields_left_out 1\n"),
             "a field that is too long, one that is there twice, one that is none");
}

static void test_clocks(void)
{
    ok_named(format_gives(&tm_format_journal_export, "__REALTIME_TIMESTAMP=9\nMESSAGE=m\n\n", "log 9000 'm' value=4\n"),
             "without a boot: the wall clock");
    ok_named(format_gives(&tm_format_journal_export, "__CURSOR=x\nMESSAGE=m\n\n", "account no_time 1 at 0\n"),
             "no time");
    ok_named(format_gives(&tm_format_journal_export,
                          EXPORT("x", "5", BOOT_A, "") EXPORT("9", "99999999999999999", BOOT_A, ""),
                          "log 5000 '' value=4" A_ARG "\nlog 9000 '' value=4" A_ARG "\n"),
             "times that are none, or too large");
    ok_named(format_gives(&tm_format_journal_export, EXPORT("99999999999999999", "5", BOOT_A, ""),
                          "log 5000 '' value=4" A_ARG "\n"),
             "a wall clock that is too large");
}

static const struct tm_format_options skip = {TM_DAMAGE_SKIP, false}, salvage = {TM_DAMAGE_SALVAGE, false};

static bool comes_to(const struct tm_format *format, const struct tm_format_options *options, const char *text,
                     const char *want)
{
    bool good = true;
    for (size_t chunk = 0; chunk < 4 && good; chunk += 3) {
        struct format_run run = format_run(format, text, strlen(text), chunk, options);
        good = run.status == TM_END && format_run_is(&run, want);
        format_run_release(&run);
    }
    return good;
}

#define E1 EXPORT("1", "1", BOOT_A, "")
#define L1 "log 1000 '' value=4" A_ARG "\n"

static void test_damage(void)
{
    ok(format_refuses(&tm_format_journal_export, E1 "lower=x\n\n" E1, "byte 90: not a field of a journal"));
    static const char cut_short[] = "byte 0: the last entry of the journal is cut short";
    ok(format_refuses(&tm_format_journal_export, "__CURSOR=1\nX\n\2", cut_short));
    ok(format_refuses(&tm_format_journal_export, "__CURSOR=1\nMESS", cut_short));
    ok(comes_to(&tm_format_journal_export, &salvage, E1 "lower=x\n\n" E1,
                L1 L1 "account damaged 1 at 90\naccount skipped_bytes 9 at 90\n"));
    ok(comes_to(&tm_format_journal_export, &skip, E1 "lower=x\n\n" E1,
                L1 "account damaged 1 at 90\naccount skipped_bytes 99 at 90\n"));
    /* damage up to the end of the file */
    ok(comes_to(&tm_format_journal_export, &salvage, E1 "lower=x\n",
                L1 "account damaged 1 at 90\naccount skipped_bytes 8 at 90\n"));
    ok(comes_to(&tm_format_journal_json, &salvage, JSON("1", "1", BOOT_A, "\"P\":\"\"") "{\"_PID\":]} x",
                "log 1000 '' value=4" A_ARG " P=''\naccount damaged 1 at 110\naccount skipped_bytes 12 at 110\n"));
    static const char wrong_length[] = "__CURSOR=1\nX\n\1\0\0\0\0\0\0\0ab\n\n";
    static const char huge[] = "__CURSOR=1\nX\n\1\0\0\0\0\0\0\x7f";
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    struct format_run run = format_run(&tm_format_journal_export, wrong_length, sizeof wrong_length - 1, 0, &halt);
    is_str(run.err.text, "byte 0: a field of the journal does not end where its length says");
    format_run_release(&run);
    run = format_run(&tm_format_journal_export, huge, sizeof huge - 1, 0, &halt);
    is_str(run.err.text, "byte 0: an entry of the journal is larger than the limit of 16 MiB");
    format_run_release(&run);
    ok(format_refuses(&tm_format_journal_json, "{\"_PID\":\"1\"", cut_short));
    ok(format_refuses(&tm_format_journal_json, " \n", "byte 2: no entry of a journal in the text"));
    ok(comes_to(&tm_format_journal_json, &salvage,
                JSON("1", "1", BOOT_A, "\"P\":\"\"") "{\"_PID\":]}\n" JSON("2", "2", BOOT_A, "\"P\":\"\""),
                "log 1000 '' value=4" A_ARG " P=''\nlog 2000 '' value=4" A_ARG " P=''\naccount damaged 1 at 110\n"
                "account skipped_bytes 11 at 110\n"));
}

/* An entry that never ends is refused at the limit. */
static void test_limit(void)
{
    static const struct tm_format_options halt = {TM_DAMAGE_HALT, false};
    size_t len = (size_t)TM_JOURNAL_ENTRY_MAX * 3;
    char *text = malloc(len);
    if (text == NULL)
        return;
    for (int json = 0; json < 2; json++) {
        memset(text, 'x', len);
        memcpy(text, json ? "{\"MESSAGE\":\"" : "__CURSOR=", json ? 12 : 9);
        struct format_run run =
            format_run(json ? &tm_format_journal_json : &tm_format_journal_export, text, len, 1 << 16, &halt);
        is_str(run.err.text, "byte 0: an entry of the journal is larger than the limit of 16 MiB");
        format_run_release(&run);
    }
    free(text);
}

static bool is_sniffed(const struct tm_format *format, const char *head)
{
    return tm_format_sniff((const uint8_t *)head, strlen(head)) == format;
}

static void test_sniff(void)
{
    ok(is_sniffed(&tm_format_journal_json, "{\"_HOSTNAME\":\"vm\",\"MESSAGE\":\"un"));
    ok(is_sniffed(&tm_format_journal_json, "{\n\t\"MESSAGE\" : \"a"));
    ok(is_sniffed(&tm_format_journal_json, "\x1e{\"PRIORITY\":\"6\""));
    ok(is_sniffed(&tm_format_journal_json, "data: {\"__CURSOR\":\"s\"}\n\n"));
    ok(is_sniffed(&tm_format_journal_export, "__CURSOR=s=1\n"));
    ok(!is_sniffed(&tm_format_journal_json, "{\"traceEvents\":[]}") &&
       !is_sniffed(&tm_format_journal_json, "{\"X\":1}"));
    ok(!is_sniffed(&tm_format_journal_json, "{\"_PID\":1,\"ph\":\"X\"}") &&
       !is_sniffed(&tm_format_journal_json, "[{\"_PID\":1}]"));
}

static void field_is(const char *name, bool want)
{
    ok_named(tm_journal_is_field(tm_text_str(name)) == want, name);
}

/* Names have up to 64 capital letters, digits and underscores, and begin with no digit, as systemd.journal-fields(7)
 * and sd_journal_send(3) say. */
static void test_field_names(void)
{
#define BYTES_64 "A123456789_B123456789_C123456789_D123456789_E123456789_F123456789"
    field_is("Z", true);
    field_is("_A", true);
    field_is("A09Z_", true);
    field_is("0A", false);
    field_is("9A", false);
    field_is("a", false);
    field_is("A-", false);
    field_is("", false);
    field_is(&BYTES_64[1], false);
    field_is(BYTES_64, false);
    ok(tm_journal_is_field(tm_text_at(BYTES_64, 64)));
#undef BYTES_64
}

int main(void)
{
    test_field_names();
    test_rows();
    test_clocks();
    test_damage();
    test_limit();
    test_sniff();
    return tap_done();
}
