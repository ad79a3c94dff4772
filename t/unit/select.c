/* Unit tests of lib/select: the syntax of --only, and which rows of a stream it keeps. */
#include "base/pb.h"
#include "select/pending_groups.h"

#include "select_bench.h"
#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static void test_times(void)
{
    static const struct {
        const char *text;
        bool relative;
        int64_t ns;
    } good[] = {
        {"0", false, 0},
        {"-5", false, -5},
        {"9223372036854775807", false, INT64_MAX},
        {"1500ns", false, 1500},
        {"1.5us", false, 1500},
        {".5ms", false, 500000},
        {"-1.5s", false, -1500000000},
        {"+7", true, 7},
        {"+0.000000001s", true, 1},
        {"1:02", true, 62000000000},
        {"+01:00:00.000 000 001", true, 3600000000001},
        {"1_000 000", false, 1000000},
    };
    static const char *const bad[] = {"",    "s",   "1.5", "1h",   "+-1", "--1", "1e3",    "1.2.3s", "1:",
                                      ":1",  "1:2:3:4", "1:-2", "x",  "1 x", "+", "9223372036854775808", "99999999999s",
                                      "9999999999:00:00"};
    struct tm_select_time t;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ok_named(tm_select_time_parse(&t, good[i].text) == TM_OK && t.is_set && t.ns == good[i].ns &&
                     t.is_relative == good[i].relative,
                 good[i].text);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok_named(tm_select_time_parse(&t, bad[i]) == TM_E_USAGE, bad[i]);
}

static void test_spec(void)
{
    struct tm_select_spec s = {0};
    struct tm_error err = {0};
    ok(tm_select_spec_add(&s, "name=a\\,b,c\\*,cat=x,from=1s", &err) == TM_OK);
    ok(tm_select_spec_add(&s, "to=2s,name=\\\\,=odd", &err) == TM_E_USAGE);
    is_str(err.text, "--only: '' is not one of machine, file, process, thread, pid, tid, cat, name, kind, dur, from, "
                     "to");
    is_int(s.values[TM_SELECT_NAME].count, 3);
    is_str(s.values[TM_SELECT_NAME].texts[0], "a,b");
    is_str(s.values[TM_SELECT_NAME].texts[1], "c\\*");
    is_str(s.values[TM_SELECT_NAME].texts[2], "\\\\");
    is_int(s.given.count, 2);
    tm_select_spec_release(&s);
}

/* Pending begins are written in order, before the last values and the first events of the range. */
static void test_edge(void)
{
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100,to=200");
    add(&b, counter(10, 1, 41, 0));
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 20, 1));
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 30, 2));
    add(&b, counter(40, 1, 42, 0));
    flush(&b);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 100, 3));
    add(&b, on_thread(TM_KIND_SLICE_END, 100, 1)); /* touches the edge */
    flush(&b);
    add(&b, on_thread(TM_KIND_SLICE_END, 100, 3));
    add(&b, on_thread(TM_KIND_INSTANT, 199, 3));
    add(&b, on_thread(TM_KIND_INSTANT, 200, 3));
    add(&b, on_thread(TM_KIND_SLICE_END, 300, 2));
    is_str(finish(&b, &left_out), "30 1 2 0\n100 5 0 42\n100 1 3 0\n100 2 3 0\n199 4 3 0\n300 2 2 0\n");
    is_int(left_out, 4);
    is_int(tm_select_count(b.select), 5);
    stop(&b);
}

/* A packet stays with its derived rows, even if a batch ends between them. */
static void test_groups(void)
{
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100");
    add(&b, (struct tm_event){.kind = TM_KIND_PACKET, .time_ns = 10});
    add(&b, counter(10, 1, 1, TM_EVENT_DERIVED));
    flush(&b);
    add(&b, counter(10, 2, 2, TM_EVENT_DERIVED));
    add(&b, (struct tm_event){.kind = TM_KIND_PACKET, .time_ns = 20});
    add(&b, counter(20, 1, 3, TM_EVENT_DERIVED));
    add(&b, (struct tm_event){.kind = TM_KIND_PACKET, .time_ns = 30});
    add(&b, counter(30, 1, 4, TM_EVENT_DERIVED));
    add(&b, on_thread(TM_KIND_INSTANT, 150, 3));
    is_str(finish(&b, &left_out), "100 0 0 0\n100 5 0 1\n100 5 0 2\n100 0 0 0\n100 5 0 4\n150 4 3 0\n");
    is_int(left_out, 1);
    stop(&b);
}

static void test_never_reached(void)
{
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100");
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 20, 1));
    add(&b, counter(40, 1, 42, 0));
    is_str(finish(&b, &left_out), "");
    is_int(left_out, 2);
    is_int(tm_select_count(b.select), 0);
    stop(&b);
}

/* Begins nested deeper than outputs show are not stored. */
static void test_depth(void)
{
    enum { BEGINS = 600, DEPTH = 512 };
    struct bench b;
    uint64_t left_out;
    start(&b, "from=1000");
    for (int64_t ns = 1; ns <= BEGINS; ns++)
        add(&b, on_thread(TM_KIND_SLICE_BEGIN, ns, 1));
    add(&b, on_thread(TM_KIND_INSTANT, 2000, 1));
    (void)finish(&b, &left_out);
    is_int(left_out, BEGINS - DEPTH);
    is_int(tm_select_count(b.select), DEPTH + 1);
    stop(&b);
}

/* Payload that does not fit into memory is read back unchanged. */
static void test_spill(void)
{
    struct bench b;
    uint64_t left_out;
    uint8_t *raw = malloc(BIG_BYTES);
    uint32_t begins = TM_PENDING_GROUPS_MEMORY_MAX / BIG_BYTES + 8;
    start(&b, "from=1000");
    for (uint32_t i = 0; raw && i < begins; i++) {
        struct tm_event e = on_thread(TM_KIND_SLICE_BEGIN, i, i);
        memset(raw, (int)i, BIG_BYTES);
        e.raw = raw;
        e.raw_bytes = BIG_BYTES;
        add(&b, e);
        flush(&b);
    }
    add(&b, on_thread(TM_KIND_SLICE_END, 500, 0));
    add(&b, on_thread(TM_KIND_INSTANT, 2000, 1));
    (void)finish(&b, &left_out);
    is_int(b.st, TM_OK);
    is_int(left_out, 2);
    ok(b.payload == (uint64_t)BIG_BYTES * begins * (begins - 1) / 2);
    free(raw);
    stop(&b);
}

/* The last name that left-out events gave a thread is written once, before its first event. */
static void test_names(void)
{
    struct bench b;
    uint64_t left_out;
    uint8_t detail[] = {4 << 3 | 2, 1, 'x'};
    struct tm_event waking = on_thread(TM_KIND_SCHED_WAKING, 10, 7);
    waking.name = TM_STRING_INLINE | 1;
    waking.detail = detail;
    waking.detail_bytes = sizeof detail;
    start(&b, "from=100");
    add(&b, waking);
    waking.tid = 8;
    add(&b, waking);
    add(&b, on_thread(TM_KIND_INSTANT, 110, 7));
    add(&b, on_thread(TM_KIND_INSTANT, 120, 7));
    is_str(finish(&b, &left_out), "110 13 7 0\n110 4 7 0\n120 4 7 0\n");
    stop(&b);
}

/* Adds a descriptor of track UUID below PARENT. */
static void add_track(struct bench *b, uint64_t uuid, uint64_t parent)
{
    struct tm_buf detail = {0};
    size_t mark;
    struct tm_event e = {.kind = TM_KIND_TRACK, .track = uuid, .value = uuid,
                         .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK};
    ok(tm_pb_begin(&detail, 5, &mark) == TM_OK && tm_pb_put_i64(&detail, 1, uuid) == TM_OK &&
       tm_pb_put_i64(&detail, 2, parent) == TM_OK && tm_pb_end(&detail, mark) == TM_OK);
    e.detail = detail.data;
    e.detail_bytes = (uint32_t)detail.len;
    add(b, e);
    tm_buf_release(&detail);
}

/* Tracks and interned data are written once, before the first row that needs them, and others not at all. */
static void test_waiting(void)
{
    const uint32_t untimed = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED;
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100");
    add(&b, (struct tm_event){.kind = TM_KIND_SEQUENCE_STATE, .flags = untimed, .generation = 1, .value = 11});
    add(&b, (struct tm_event){.kind = TM_KIND_SEQUENCE_STATE, .flags = untimed, .generation = 2, .value = 21});
    add(&b, (struct tm_event){.kind = TM_KIND_SEQUENCE_STATE, .flags = untimed, .generation = 1, .value = 12});
    add_track(&b, 5, 4);
    add_track(&b, 4, 3);
    add_track(&b, 6, 4);
    add_track(&b, 7, 7); /* its own parent */
    add(&b, (struct tm_event){.kind = TM_KIND_TRACK, .flags = untimed | TM_EVENT_HAS_PID, .track = 3, .value = 3});
    flush(&b);
    struct tm_event e = {.kind = TM_KIND_INSTANT, .time_ns = 50, .generation = 2, .track = 6,
                         .flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK)};
    add(&b, e);
    e.time_ns = 110;
    e.generation = 1;
    e.track = 5;
    add(&b, e);
    e.track = 7;
    add(&b, e);
    add(&b, e);
    is_str(finish(&b, &left_out), "0 33 0 3\n0 32 0 11\n0 32 0 12\n0 33 0 4\n0 33 0 5\n110 4 0 0\n"
                                  "0 33 0 7\n110 4 0 0\n110 4 0 0\n");
    is_int(left_out, 1);
    stop(&b);
}

/* A packet that only describes processes is kept at any place, but not as an event. */
static void test_context(void)
{
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100,to=200");
    for (int64_t ns = 50; ns <= 250; ns += 100) {
        add(&b, (struct tm_event){.kind = TM_KIND_PACKET, .time_ns = ns, .value = (uint64_t)ns});
        add(&b,
            (struct tm_event){.kind = TM_KIND_PROCESS, .time_ns = ns, .flags = TM_EVENT_DERIVED | TM_EVENT_HAS_PID});
    }
    is_str(finish(&b, &left_out), "50 0 0 50\n50 17 0 0\n150 0 0 150\n150 17 0 0\n250 0 0 250\n250 17 0 0\n");
    is_int(left_out, 2);
    is_int(b.context, 4);
    stop(&b);
}

/* An event that states only its thread ends a slice on the track that a descriptor gave the thread. A cpu belongs to
 * its machine, whatever file has its events. */
static void test_shared(void)
{
    struct bench b;
    uint64_t left_out;
    struct tm_buf detail = {0};
    size_t mark;
    ok(tm_pb_begin(&detail, 5, &mark) == TM_OK && tm_pb_put_varint(&detail, 14, 1) == TM_OK &&
       tm_pb_end(&detail, mark) == TM_OK);
    struct tm_event track = {.kind = TM_KIND_TRACK, .track = 77, .tid = 9, .detail = detail.data,
                             .detail_bytes = (uint32_t)detail.len,
                             .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK};
    struct tm_event begin = on_thread(TM_KIND_SLICE_BEGIN, 10, 9);
    begin.flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK);
    begin.track = 77;
    struct tm_event run = {
        .kind = TM_KIND_SCHED_SWITCH, .time_ns = 30, .flags = TM_EVENT_HAS_CPU, .cpu = 3, .value = 1};
    start(&b, "from=100");
    add(&b, track);
    add(&b, begin);
    add(&b, on_thread(TM_KIND_SLICE_END, 20, 9));
    add(&b, run);
    run.file = 1;
    run.value = 2;
    add(&b, run);
    add(&b, on_thread(TM_KIND_INSTANT, 150, 9));
    is_str(finish(&b, &left_out), "0 33 9 0\n100 11 0 2\n150 4 9 0\n");
    is_int(left_out, 3);
    tm_buf_release(&detail);
    stop(&b);
}

/* Long runs of kept rows go out as they stand in their batch, short ones are copied: the same rows in the same order.
 */
static void test_ranges(void)
{
    enum { ROWS = 300 };
    struct bench b;
    uint64_t left_out;
    struct tm_buf wanted = {0};
    start(&b, "machine=0,from=1");
    for (uint32_t i = 0; i < ROWS; i++) {
        struct tm_event e = on_thread(TM_KIND_INSTANT, 10 + i / 3, i);
        uint8_t raw[1] = {1};
        bool here = i % 97 < 60 || i % 2;
        e.machine = here ? 0 : 1;
        e.raw = raw;
        e.raw_bytes = i % 2;
        e.value = i;
        add(&b, e);
        if (here)
            (void)tm_buf_addf(&wanted, "%u 4 %u %u\n", 10 + i / 3, i, i);
        if (i % 130 == 100)
            flush(&b);
    }
    is_str(finish(&b, &left_out), tm_buf_cstr(&wanted));
    is_int(b.payload, ROWS / 2);
    tm_buf_release(&wanted);
    stop(&b);
}

/* Groups of one time are added in the order of their ranks, and taken in the order of the stream. Half of them were
 * states and move to another list. If the time grew with their square, it would be minutes: the alarm ends the test. */
static void test_many_groups(void)
{
    enum { GROUPS = 300000, ALARM_SECONDS = 60 };
    struct tm_pending_groups pending = {.first = {0}};
    struct tm_error err = {0};
    struct tm_event row = {.kind = TM_KIND_COUNTER}, *rows;
    uint32_t id, count, taken = 0;
    enum tm_status st = TM_OK;
    alarm(ALARM_SECONDS);
    for (uint32_t i = GROUPS; i-- > 0 && st == TM_OK;) {
        row.position = i;
        st = tm_pending_groups_add(&pending, i % 2 ? TM_PENDING_GROUPS_STATE : TM_PENDING_GROUPS_EARLY,
                                   &(struct tm_event_rows){&row, 1, i}, &id, &err);
        if (st == TM_OK && i % 2)
            tm_pending_groups_move(&pending, id, TM_PENDING_GROUPS_EARLY);
    }
    ok(st == TM_OK);
    while (tm_pending_groups_take(&pending, TM_PENDING_GROUPS_EARLY, &rows, &count, &err) == TM_OK &&
           rows->position == taken)
        taken++;
    is_int(taken, GROUPS);
    tm_pending_groups_release(&pending);
    alarm(0);
}

/* Groups of 1 MiB: many stay, so further ones go to the temporary file. It has no more than twice the bytes of its
 * groups and those that memory may have, however many were dropped, and the groups in it stay whole. */
static void test_dropped_bytes(void)
{
    enum { STAYING = 70, DROPPED = 400, BYTES = 1 << 20 };
    struct tm_tally tally = {0};
    struct tm_pending_groups pending = {.tally = &tally};
    struct tm_error err = {0};
    uint8_t *bytes = malloc(BYTES);
    struct tm_event row = {.raw = bytes, .raw_bytes = BYTES}, *rows;
    uint32_t id = 0, count, whole = 0;
    uint64_t longest = 0;
    enum tm_status st = bytes ? TM_OK : TM_E_SYSTEM;
    for (uint32_t i = 0; i < STAYING + DROPPED && st == TM_OK; i++) {
        memset(bytes, (int)(i & 0xff), BYTES);
        row.position = i;
        st = tm_pending_groups_add(&pending, TM_PENDING_GROUPS_EARLY, &(struct tm_event_rows){&row, 1, i}, &id, &err);
        longest = pending.file.len > longest ? pending.file.len : longest;
        if (st == TM_OK && i >= STAYING)
            st = tm_pending_groups_drop(&pending, id, &err);
    }
    ok(st == TM_OK);
    ok(longest > (uint64_t)(STAYING - 64) * BYTES);
    ok(longest <= 2 * (uint64_t)(STAYING - 64 + 2) * (BYTES + 1024) + TM_PENDING_GROUPS_MEMORY_MAX + 2 * BYTES);
    while (tm_pending_groups_take(&pending, TM_PENDING_GROUPS_EARLY, &rows, &count, &err) == TM_OK)
        whole += rows->position == whole && rows->raw[0] == (whole & 0xff) && rows->raw[BYTES - 1] == (whole & 0xff);
    is_int(whole, STAYING);
    free(bytes);
    tm_pending_groups_release(&pending);
    tm_tally_release(&tally);
}

/* Each row of a pending group keeps its raw payload and its detail. */
static void test_payloads(void)
{
    enum { ROWS = 3 };
    struct tm_tally tally = {0};
    struct tm_pending_groups pending = {.tally = &tally};
    struct tm_event group[ROWS] = {{.raw = (const uint8_t *)"one", .raw_bytes = 3},
                                   {.raw = (const uint8_t *)"two", .raw_bytes = 3,
                                    .detail = (const uint8_t *)"second", .detail_bytes = 6},
                                   {.detail = (const uint8_t *)"third", .detail_bytes = 5}};
    struct tm_event *rows = group;
    struct tm_error err = {0};
    uint32_t id, count = 0;
    ok(tm_pending_groups_add(&pending, TM_PENDING_GROUPS_EARLY, &(struct tm_event_rows){group, ROWS, 0}, &id, &err) ==
       TM_OK);
    ok(tm_pending_groups_take(&pending, TM_PENDING_GROUPS_EARLY, &rows, &count, &err) == TM_OK && count == ROWS);
    for (uint32_t i = 0; i < count; i++)
        ok(rows != group && rows[i].raw_bytes == group[i].raw_bytes && rows[i].detail_bytes == group[i].detail_bytes &&
           tm_text_equal(tm_text_at(rows[i].raw, rows[i].raw_bytes), tm_text_at(group[i].raw, group[i].raw_bytes)) &&
           tm_text_equal(tm_text_at(rows[i].detail, rows[i].detail_bytes),
                         tm_text_at(group[i].detail, group[i].detail_bytes)));
    tm_pending_groups_release(&pending);
}

int main(void)
{
    test_many_groups();
    test_payloads();
    test_dropped_bytes();
    test_waiting();
    test_context();
    test_shared();
    test_ranges();
    test_times();
    test_spec();
    test_edge();
    test_groups();
    test_never_reached();
    test_depth();
    test_spill();
    test_names();
    return tap_done();
}
