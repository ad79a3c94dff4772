/* Unit tests of lib/emit: formatted text, owners of events, the balance of accounts, the table of outputs. */
#include "emit/drop_text.h"
#include "emit/run.h"
#include "emit/names.h"
#include "emit/notices.h"
#include "emit/out.h"
#include "emit/outputs.h"
#include "emit/paths.h"
#include "emit/task_names.h"
#include "stream/clock_name.h"
#include "stream/kind_name.h"
#include "stream/writer.h"

#include "base/pb.h"

#include "tap.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the content of OUT as a C string, and empties it. */
static const char *said(struct tm_out *out)
{
    const char *s = tm_buf_cstr(&out->buf);
    tm_buf_clear(&out->buf);
    return s;
}

static void test_numbers(struct tm_out *out)
{
    static const struct {
        int64_t ns;
        const char *seconds, *duration;
    } cases[] = {
        {0, "0.000000000", "0ns"},
        {999, "0.000000999", "999ns"},
        {1000, "0.000001000", "1us"},
        {-1500, "-0.000001500", "-1.5us"},
        {12345678, "0.012345678", "12.345678ms"},
        {1000000000, "1.000000000", "1s"},
        {INT64_MAX, "9223372036.854775807", "9223372036.854775807s"},
        {INT64_MIN, "-9223372036.854775808", "-9223372036.854775808s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tm_out_seconds(out, cases[i].ns);
        is_str(said(out), cases[i].seconds);
        tm_out_duration(out, cases[i].ns);
        is_str(said(out), cases[i].duration);
    }
    tm_out_u64(out, UINT64_MAX);
    is_str(said(out), "18446744073709551615");
    tm_out_i64(out, INT64_MIN);
    is_str(said(out), "-9223372036854775808");
    tm_out_double(out, tm_pb_bits(0.1));
    is_str(said(out), "0.1");
    tm_out_double(out, tm_pb_bits(1.0 / 3));
    is_str(said(out), "0.3333333333333333");
    tm_out_double(out, tm_pb_bits(-1e300 * 1e300));
    is_str(said(out), "-inf");
    tm_out_json_double(out, UINT64_C(0x7ff8000000000001));
    is_str(said(out), "\"NaN\"");
    tm_out_json_double(out, tm_pb_bits(-0.0));
    is_str(said(out), "-0");
    tm_out_json_real(out, tm_pb_bits(-0.0));
    is_str(said(out), "-0.0");
    tm_out_json_real(out, tm_pb_bits(1e300));
    is_str(said(out), "1e+300");
    tm_out_json_real(out, tm_pb_bits(-1e300 * 1e300));
    is_str(said(out), "\"-Infinity\"");
}

/* The shortest text of up to 17 digits that is read as D. */
static void shortest(double d, char text[40])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
}

/* Decimals of all lengths, sums that are off by one bit, and any bits. */
static void test_doubles(struct tm_out *out)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e12, 1e15, 1e18, 1e20, 1e22};
    uint64_t seed = 1;
    bool same = true;
    for (int i = 0; i < 400000 && same; i++) {
        char text[40];
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double d = tm_pb_double(seed);
        if (i % 4)
            d = (double)(int64_t)(seed >> (i % 61)) / powers[seed >> 5 & 15];
        if (i % 4 == 3)
            d = tm_pb_double(tm_pb_bits(d) + 1);
        if (!(d >= -DBL_MAX && d <= DBL_MAX))
            continue;
        shortest(d, text);
        tm_out_double(out, tm_pb_bits(d));
        const char *made = said(out);
        same = strcmp(made, text) == 0;
        if (!same)
            printf("# %s is %s\n", text, made);
    }
    ok_named(same, "a double has the shortest text that is read as it");
}

static void test_text(struct tm_out *out)
{
    static const struct {
        const char *in, *escaped, *quoted, *json, *csv;
    } cases[] = {
        {"", "", "\"\"", "\"\"", ""},
        {"plain", "plain", "\"plain\"", "\"plain\"", "plain"},
        {"a\"b\\", "a\"b\\", "\"a\\\"b\\\\\"", "\"a\\\"b\\\\\"", "\"a\"\"b\\\""},
        {"x\ny\t", "x\\x0ay\\x09", "\"x\\x0ay\\x09\"", "\"x\\ny\\t\"", "\"x\ny\t\""},
        {"\x1b[2J\x7f", "\\x1b[2J\\x7f", "\"\\x1b[2J\\x7f\"", "\"\\u001b[2J\\u007f\"", "\x1b[2J\x7f"},
        {"\xc2\x9bm", "\\xc2\\x9bm", "\"\\xc2\\x9bm\"", "\"\\u009bm\"", "\xc2\x9bm"},
        {"\xff\xc3\xa4", "\\xff\xc3\xa4", "\"\\xff\xc3\xa4\"", "\"\xef\xbf\xbd\xc3\xa4\"", "\xff\xc3\xa4"},
        {"a,b", "a,b", "\"a,b\"", "\"a,b\"", "\"a,b\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tm_text text = tm_text_str(cases[i].in);
        tm_out_escaped(out, text);
        is_str(said(out), cases[i].escaped);
        tm_out_quoted(out, text);
        is_str(said(out), cases[i].quoted);
        tm_out_json(out, text);
        is_str(said(out), cases[i].json);
        tm_out_csv(out, text);
        ok_named(strcmp(said(out), cases[i].csv) == 0, "csv"); /* not escaped, so it cannot go to a log */
    }
    tm_out_escaped_cut(out, tm_text_str("ab\xc3\xa4z"), 3);
    is_str(said(out), "ab...");
    tm_out_escaped_cut(out, tm_text_str("ab\xc3\xa4z"), 5);
    is_str(said(out), "ab\xc3\xa4z");
    tm_out_str(out, "\xc3\xa4");
    tm_out_pad(out, 0, 3, true);
    is_str(said(out), "  \xc3\xa4");
    tm_out_str(out, "abc");
    tm_out_pad(out, 1, 3, false);
    is_str(said(out), "abc ");
    tm_out_str(out, "abc");
    tm_out_pad(out, 0, 2, true);
    is_str(said(out), "abc");
}

static void test_names(void)
{
    int named = 0;
    for (uint32_t kind = 0; kind <= TM_KIND_METADATA; kind++)
        named += tm_name_of_kind(kind) != NULL;
    is_int(named, TM_KIND_METADATA + 1);
    ok(tm_name_of_kind(UINT32_MAX) == NULL && tm_name_of_clock(7) == NULL && tm_name_of_clock(128) == NULL);
    for (unsigned bit = 27; bit < 32; bit++)
        ok(tm_name_of_flag(UINT32_C(1) << bit) == NULL);
    for (uint32_t bit = 0; bit < TM_EVENT_SCOPE_SHIFT; bit++)
        ok(tm_name_of_flag(UINT32_C(1) << bit) != NULL);
    ok(tm_name_of_flag(TM_EVENT_SCOPE_SHIFT << 12) == NULL);
    ok(tm_name_of_scope(TM_SCOPE_CPU) && !tm_name_of_scope((enum tm_scope)15));
    ok(tm_name_of_raw(TM_RAW_LINE) && !tm_name_of_raw(TM_RAW_NONE) && !tm_name_of_raw((enum tm_raw)15));
}

static void test_table(void)
{
    is_str(tm_emit_choose(NULL, NULL)->name, "text");
    is_str(tm_emit_choose("csv", "x.jsonl")->name, "csv");
    is_str(tm_emit_choose(NULL, "a.b/x.jsonl")->name, "jsonl");
    is_str(tm_emit_choose(NULL, "a.b/plain")->name, "text");
    is_str(tm_emit_choose(NULL, ".hidden")->name, "text");
    for (size_t i = 0; tm_emits[i]; i++) {
        ok(tm_emit_functions_of(tm_emits[i]) != NULL);
        ok(tm_emits[i]->events == NULL || tm_emit_functions_of(tm_emits[i]->events) != NULL);
    }
    ok(tm_emit_choose("nothing", NULL) == NULL);
    ok(tm_emit_choose(NULL, "x.pdf") == NULL);
    ok(tm_emit_for_path(".csv") == NULL);
}

/* The files that the events of these tests are from. */
static struct tm_catalog_file proto_files[] = {{.input_type = TM_INPUT_PROTO}, {.input_type = TM_INPUT_PROTO},
                                               {.input_type = TM_INPUT_PROTO}};
enum { PROTO_FILES = sizeof proto_files / sizeof *proto_files };

static void learn_track(struct tm_task_names *names, uint64_t uuid, uint64_t parent, int64_t tid)
{
    Tracemerge__Detail d = TRACEMERGE__DETAIL__INIT;
    Tracemerge__TrackDescription k = TRACEMERGE__TRACK_DESCRIPTION__INIT;
    struct tm_event e = {.kind = TM_KIND_TRACK, .flags = TM_EVENT_DEFINITION, .file = 1, .machine = 2};
    struct tm_error err = {0};
    uint8_t bytes[128];
    d.track = &k;
    k.has_uuid = true;
    k.uuid = uuid;
    k.has_parent_uuid = parent != 0;
    k.parent_uuid = parent;
    k.has_tid = tid != 0;
    k.tid = tid;
    e.detail_bytes = (uint32_t)protobuf_c_message_pack(&d.base, bytes);
    e.detail = bytes;
    ok(tm_task_names_learn(names, &e, &err) == TM_OK);
}

static void learn_thread(struct tm_task_names *names, uint32_t flags, const char *name)
{
    Tracemerge__Detail d = TRACEMERGE__DETAIL__INIT;
    Tracemerge__ThreadDescription t = TRACEMERGE__THREAD_DESCRIPTION__INIT;
    struct tm_event e = {.kind = TM_KIND_THREAD, .flags = flags, .machine = 2};
    struct tm_error err = {0};
    uint8_t bytes[128];
    d.thread = &t;
    t.has_tid = t.has_pid = t.has_name = true;
    t.tid = 7;
    t.pid = 5;
    t.name = tm_bytes(name, strlen(name));
    e.detail_bytes = (uint32_t)protobuf_c_message_pack(&d.base, bytes);
    e.detail = bytes;
    ok(tm_task_names_learn(names, &e, &err) == TM_OK);
}

static bool thread_is(const struct tm_task_names *names, const char *name)
{
    struct tm_text text = tm_task_names_thread(names, 2, 7);
    return text.len == strlen(name) && memcmp(text.data, name, text.len) == 0;
}

static void test_task_names(void)
{
    struct tm_catalog catalog = {.files = proto_files, .file_count = PROTO_FILES};
    struct tm_task_names names;
    struct tm_event_task place;
    struct tm_error err = {0};
    struct tm_event e = {.flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK), .file = 1, .machine = 2};
    tm_task_names_init(&names, &catalog);
    learn_track(&names, 10, 0, 7);
    learn_track(&names, 11, 10, 0);
    learn_track(&names, 12, 13, 0);
    learn_track(&names, 13, 12, 0);
    e.track = 11;
    tm_task_names_find(&names, &e, &place);
    ok(place.has_tid && place.tid == 7 && !place.has_pid);
    e.track = 12; /* a loop */
    tm_task_names_find(&names, &e, &place);
    ok(!place.has_tid && !place.has_pid);
    e.track = 11;
    e.file = 2; /* uuids belong to a file */
    tm_task_names_find(&names, &e, &place);
    ok(!place.has_tid);
    learn_thread(&names, TM_EVENT_DERIVED, "from the tree");
    ok(thread_is(&names, "from the tree"));
    learn_thread(&names, TM_EVENT_DEFINITION, "from its descriptor");
    ok(thread_is(&names, "from its descriptor"));
    learn_thread(&names, TM_EVENT_DERIVED, "from the tree again");
    ok(thread_is(&names, "from its descriptor"));
    e.file = 1;
    tm_task_names_find(&names, &e, &place);
    ok(place.has_pid && place.pid == 5 && place.thread.len == strlen("from its descriptor"));
    e = (struct tm_event){.kind = TM_KIND_TRACK, .detail = (const uint8_t *)"\xff", .detail_bytes = 1};
    is_int(tm_task_names_learn(&names, &e, &err), TM_E_INPUT);
    tm_task_names_release(&names);
}

static void learn_name(struct tm_task_names *names, enum tm_kind kind, uint32_t string)
{
    struct tm_event e = {.kind = kind, .machine = 2, .tid = 7, .name = string};
    struct tm_error err = {0};
    ok(tm_task_names_learn(names, &e, &err) == TM_OK);
}

/* Repeating a name changes nothing; all else that is learned of a task counts. */
static void test_task_counts(void)
{
    size_t bounds[] = {0, 3, 6};
    uint8_t text[] = "oneTWO";
    struct tm_catalog catalog = {
        .files = proto_files, .file_count = PROTO_FILES, .string_count = 2, .string_bounds = bounds};
    struct tm_task_names names;
    catalog.text.data = text;
    tm_task_names_init(&names, &catalog);
    const uint32_t *count = &names.counts.counts[tm_task_names_task_count(2, 7)];
    learn_name(&names, TM_KIND_SCHED_WAKING, 1);
    uint32_t before = *count;
    learn_name(&names, TM_KIND_SCHED_WAKING, 1);
    learn_name(&names, TM_KIND_SCHED_WAKING, 1);
    ok(*count == before && thread_is(&names, "one"));
    learn_name(&names, TM_KIND_SCHED_WAKING, 2);
    ok(*count != before && thread_is(&names, "TWO"));
    learn_name(&names, TM_KIND_SCHED_WAKING, 1);
    ok(thread_is(&names, "one"));
    before = *count;
    learn_name(&names, TM_KIND_TASK_NEW, 2);
    ok(*count != before && thread_is(&names, "TWO"));
    learn_name(&names, TM_KIND_SCHED_WAKING, 1);
    ok(thread_is(&names, "one"));
    before = *count;
    learn_thread(&names, TM_EVENT_DEFINITION, "of its descriptor");
    ok(*count != before);
    const uint32_t *tracks = &names.counts.counts[tm_task_names_track_count(1)];
    before = *tracks;
    learn_track(&names, 10, 0, 7);
    ok(*tracks != before);
    tm_task_names_release(&names);
}

/* There are no more rows than the limit. One more is an error, because the output would show its events as those of no
 * thread. */
static void test_task_names_is_bounded(void)
{
    struct tm_catalog catalog = {.files = proto_files, .file_count = PROTO_FILES};
    struct tm_task_names names;
    struct tm_error err = {0};
    const struct tm_event one = {.kind = TM_KIND_TASK_NEW, .tid = 1, .name = 1};
    const struct tm_event two = {.kind = TM_KIND_TASK_NEW, .tid = 2, .name = 1};
    tm_task_names_init(&names, &catalog);
    ok(tm_task_names_learn(&names, &one, &err) == TM_OK);
    const uint32_t count = names.threads.count;
    names.threads.count = TM_TASK_NAMES_ROWS_MAX;
    ok(tm_task_names_learn(&names, &one, &err) == TM_OK);
    ok(tm_task_names_learn(&names, &two, &err) == TM_E_INPUT);
    is_str(err.text, "more than 4194304 threads, processes or tracks (TM_TASK_NAMES_ROWS_MAX)");
    names.threads.count = count;
    tm_task_names_release(&names);
}

static void test_limits(void)
{
    static const struct {
        const char *text;
        uint64_t lost, read;
        bool allowed;
    } cases[] = {
        {"0", 0, 10, true},           {"0", 1, 10, false},
        {"5", 5, 10, true},           {"5", 6, 10, false},
        {"10%", 1, 10, true},         {"9.9999%", 1, 10, false},
        {"0%", 0, 0, true},           {"100%", 10, 10, true},
        {"50%", UINT64_MAX / 2, UINT64_MAX, true}, {"49%", UINT64_MAX / 2, UINT64_MAX, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tm_accounting b = {.read = cases[i].read, .total.lost = cases[i].lost};
        struct tm_accounting_limit limit = {0};
        struct tm_error err = {0};
        ok_named(tm_accounting_limit_parse(&limit, cases[i].text) == TM_OK &&
                     tm_accounting_within(&b, &limit, &err) == (cases[i].allowed ? TM_OK : TM_E_STRICT),
                 cases[i].text);
    }
}

static void test_strict(void)
{
    static const struct tm_accounting losses[] = {
        {.total.lost = 1}, {.total.lost_definitions = 1}, {.total.skipped_bytes = 1}, {.total.dropped = 1}};
    const struct tm_accounting_limit strict = {.strict = true}, none = {0};
    for (int i = 0; i < 4; i++) {
        struct tm_error err = {0};
        is_int(tm_accounting_within(&losses[i], &none, &err), TM_OK);
        is_int(tm_accounting_within(&losses[i], &strict, &err), i < 3 ? TM_E_STRICT : TM_OK);
    }
}

enum { WARNINGS_MAX = 200 };

static char warnings[WARNINGS_MAX][200];
static uint32_t warning_count;

static void keep_warning(const char *text)
{
    if (warning_count < WARNINGS_MAX)
        snprintf(warnings[warning_count++], sizeof *warnings, "%s", text);
}

/* More losses of one file than get a line, and then events without a form: each line has the count of its own reason,
 * and the last one says that there are more. */
static void test_many_losses(void)
{
    enum { LOSSES = 100, LINES = 64 };
    static Tracemerge__Stat stats[LOSSES];
    static char names[LOSSES][16];
    Tracemerge__Stat *of_stats[LOSSES];
    struct tm_catalog_file file = {.name = tm_text_str("a.pftrace"), .begun = true};
    struct tm_catalog catalog = {.files = &file, .file_count = 1, .stats = of_stats, .stat_count = LOSSES};
    struct tm_clock_facts clocks = {0};
    struct tm_unsupported_counts unsupported = {0};
    const struct tm_notices notices = {
        .catalog = &catalog, .clocks = &clocks, .unsupported = &unsupported, .format = "json", .warn = keep_warning};
    const struct tm_event event = {.kind = TM_KIND_LOG};
    struct tm_error err = {0};
    char expected[64];
    int bad = 0;
    for (int i = 0; i < LOSSES; i++) {
        int len = snprintf(names[i], sizeof names[i], "loss_%d", i);
        stats[i] = (Tracemerge__Stat)TRACEMERGE__STAT__INIT;
        stats[i].name = (ProtobufCBinaryData){(size_t)len, (uint8_t *)names[i]};
        stats[i].severity = TRACEMERGE__SEVERITY__DATA_LOSS;
        stats[i].has_file = true;
        stats[i].value = i + 1;
        of_stats[i] = &stats[i];
    }
    tm_unsupported_counts_event(&unsupported, &event);
    warning_count = 0;
    is_int(tm_notices_write(&notices, &err), TM_OK);
    is_int(warning_count, LINES + 1);
    for (int i = 0; i < LINES; i++) {
        snprintf(expected, sizeof expected, "a.pftrace: loss of data, loss_%d = %d", i, i + 1);
        bad += strcmp(warnings[i], expected) != 0;
    }
    is_int(bad, 0);
    is_str(warnings[LINES],
           "a.pftrace: more kinds of losses and assumptions than fit here; tm-merge -f report lists all");
    tm_unsupported_counts_release(&unsupported);
}

static void test_full_descriptor(void)
{
    struct tm_out out;
    struct tm_error err = {0};
    int fds[2];
    ok(pipe(fds) == 0 && close(fds[1]) == 0);
    tm_out_init(&out, fds[0], "here"); /* the read end of a pipe cannot be written */
    tm_out_str(&out, "x");
    is_int(tm_out_flush(&out, &err), TM_E_SYSTEM);
    ok(strncmp(err.text, "here: cannot write: ", 20) == 0);
    tm_out_release(&out);
    close(fds[0]);
}

enum { LATE_ROWS = 200000 };

static void put_twice(struct tm_out *out, struct tm_text text, const uint8_t *data, size_t len)
{
    (void)text;
    tm_out_bytes(out, data, len);
    tm_out_json(out, (struct tm_text){data, len});
}

/* Puts a row into OUT. IS_LATE: with a late part; else directly. */
static void put_row(struct tm_out *out, uint64_t number, bool is_late)
{
    uint8_t bytes[] = "digits 0\"";
    const struct tm_text pieces[] = {{bytes, 7}, {bytes + 7, 2}};
    bytes[7] = (uint8_t)('0' + number % 10);
    tm_out_str(out, "before ");
    tm_out_u64(out, number);
    if (is_late)
        tm_out_late(out, put_twice, pieces, 2);
    else
        put_twice(out, (struct tm_text){0}, bytes, 9);
    if (number % 3 == 0 && is_late)
        tm_out_late(out, put_twice, pieces, 1);
    else if (number % 3 == 0)
        put_twice(out, (struct tm_text){0}, bytes, 7);
    tm_out_str(out, number % 2 ? "\n" : "");
}

/* Parts that JOBS threads make stand where they were put. */
static void test_late_parts(unsigned jobs)
{
    struct tm_out out, direct;
    struct tm_error err = {0};
    enum tm_status st = TM_OK;
    FILE *file = tmpfile();
    bool has_thread = false;
    tm_out_init(&out, fileno(file), "file");
    tm_out_init(&direct, -1, NULL);
    tm_out_set_late(&out, NULL, jobs);
    for (uint64_t i = 0; i < LATE_ROWS && st == TM_OK; i++) {
        put_row(&out, i, true);
        put_row(&direct, i, false);
        st = tm_out_end_row(&out, &err);
        has_thread |= out.completer != NULL;
    }
    ok(st == TM_OK && tm_out_flush(&out, &err) == TM_OK);
    ok_named(has_thread, "a thread makes late parts of a large output");
    uint8_t *bytes = malloc(direct.buf.len + 1);
    rewind(file);
    ok(bytes && fread(bytes, 1, direct.buf.len + 1, file) == direct.buf.len &&
       memcmp(bytes, direct.buf.data, direct.buf.len) == 0);
    free(bytes);
    tm_out_release(&out);
    tm_out_release(&direct);
    (void)fclose(file);
}

/* Each reason has words, except those of events that are not lost. */
static void test_drop_texts(void)
{
    const struct tm_drop_text unknown = tm_drop_text_of(TM_DROP_OTHER);
    for (enum tm_drop_reason reason = TM_DROP_OTHER + 1; reason < TM_DROP_REASONS; reason++)
        if (reason != TM_DROP_UNMATCHED_END && reason != TM_DROP_FILTERED)
            ok_named(tm_drop_text_of(reason).cause != unknown.cause, tm_drop_reason_name(reason));
}

int main(void)
{
    struct tm_out out;
    tm_out_init(&out, -1, NULL);
    test_numbers(&out);
    test_doubles(&out);
    test_text(&out);
    tm_out_release(&out);
    test_names();
    test_table();
    test_late_parts(1);
    test_late_parts(3);
    test_task_names();
    test_task_counts();
    test_task_names_is_bounded();
    test_limits();
    test_strict();
    test_many_losses();
    test_full_descriptor();
    test_drop_texts();
    return tap_done();
}
