/* Unit tests of lib/model: slices, markers, asynchronous slices, flows, args. */
#include "model_bench.h"

static void test_nesting(void)
{
    struct bench b;
    start(&b);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "outer", "c");
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 20, 7), "inner", NULL);
    add(&b, on_thread(TM_KIND_INSTANT, 25, 7), "now", NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 30, 7), NULL, NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 40, 7), "other", NULL);
    add(&b, on_thread(TM_KIND_SLICE_END, 40, 7), "outer", "c");
    add(&b, on_thread(TM_KIND_SLICE_END, 50, 8), NULL, NULL);
    rows_are(&b, "nesting",
             "slice 0 10 -1 t0 d0 p-1 outer c\n"
             "slice 1 20 -1 t0 d1 p0 inner -\n"
             "slice 2 25 0 t0 d2 p1 now -\n"
             "end 1 10 a-1\n"
             "end 0 30 a-1\n");
    is_int(b.model.out.stats.rows[0].counts[TM_MODEL_UNMATCHED_END], 2);
    is_int(b.model.out.bounds.first_ns, 10);
    is_int(b.model.out.bounds.last_ns, 40);
    stop(&b);
}

static void test_cut_short(void)
{
    struct bench b;
    start(&b);
    add(&b, complete(10, 20), "whole", NULL);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 15, 7), "open", NULL);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 31, 7), "next", NULL);
    rows_are(&b, "an open slice ends with the closed one around it",
             "slice 0 10 20 t0 d0 p-1 whole -\n"
             "slice 1 15 -1 t0 d1 p0 open -\n"
             "end 1 15 a-1\n"
             "slice 2 31 -1 t0 d0 p-1 next -\n");
    stop(&b);
}

static void test_json_moment(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(complete(10, 5)), "short", NULL);
    add(&b, in_json(complete(10, 50)), "long", NULL);
    flush(&b); /* the timestamp group continues in the next batch */
    add(&b, in_json(complete(10, 20)), "middle", NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 60, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 61, 7)), "last", NULL);
    rows_are(&b, "json moment",
             "slice 0 10 50 t0 d0 p-1 long -\n"
             "slice 1 10 20 t0 d1 p0 middle -\n"
             "slice 2 10 5 t0 d2 p1 short -\n"
             "slice 3 60 0 t0 d0 p-1 [No name] -\n");
    ok(tm_model_finish(&b.model, &b.err) == TM_OK);
    rows_are(&b, "json moment, part 2",
             "slice 4 61 0 t0 d0 p-1 last -\n");
    stop(&b);
}

static void test_json_end_first(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(on_thread(TM_KIND_SLICE_BEGIN, 10, 7)), "a", NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_BEGIN, 20, 7)), "b", NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_END, 20, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_SLICE_END, 30, 7)), NULL, NULL);
    add(&b, in_json(on_thread(TM_KIND_INSTANT, 40, 7)), "x", NULL);
    rows_are(&b, "json end first",
             "slice 0 10 -1 t0 d0 p-1 a -\n"
             "end 0 10 a-1\n"
             "slice 1 20 -1 t0 d0 p-1 b -\n"
             "end 1 10 a-1\n");
    stop(&b);
}

static void test_crossing(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, in_json(complete(10, 20)), "a", NULL);
    add(&b, in_json(complete(20, 20)), "b", NULL);
    add(&b, in_json(complete(22, 5)), "c", NULL);
    add(&b, in_json(complete(25, 50)), "d", NULL);
    add(&b, in_json(complete(100, 1)), "e", NULL);
    add(&b, in_json(complete(200, 1)), "f", NULL);
    rows_are(&b, "crossing",
             "slice 0 10 20 t0 d0 p-1 a -\n"
             "slice 1 20 20 t1 d0 p-1 b -\n"
             "slice 2 22 5 t0 d1 p0 c -\n"
             "slice 3 25 50 t2 d0 p-1 d -\n"
             "slice 4 100 1 t0 d0 p-1 e -\n");
    ok(b.model.layout.tracks.rows[1].scope == TM_TRACK_THREAD &&
       b.model.layout.tracks.rows[1].owner == b.model.layout.tracks.rows[0].owner);
    stop(&b);
}

static void test_order_is_checked(void)
{
    struct bench b;
    start(&b);
    add(&b, on_thread(TM_KIND_INSTANT, 20, 7), "a", NULL);
    add(&b, on_thread(TM_KIND_INSTANT, 19, 7), "a", NULL);
    rows_are(&b, "order is checked",
             "an event at 19 ns after one at 20 ns");
    stop(&b);
    start(&b);
    struct tm_event e = on_thread(TM_KIND_INSTANT, 20, 7);
    e.machine = 2;
    add(&b, e, "a", NULL);
    rows_are(&b, "order is checked, part 2",
             "an event of machine 2, which is not known");
    stop(&b);
}

static struct tm_event marker(uint32_t kind, int64_t ts, uint64_t cookie)
{
    return (struct tm_event){.file = TEXT,
                             .kind = kind,
                             .time_ns = ts,
                             .pid = 5,
                             .tid = 7,
                             .track = cookie,
                             .flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | TM_EVENT_HAS_TRACK | TM_EVENT_ASYNC |
                                      tm_event_scope_flags(TM_SCOPE_PROCESS) |
                                      (uint32_t)TM_RAW_LINE << TM_EVENT_RAW_SHIFT};
}

static void test_markers(void)
{
    struct bench b;
    start(&b);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 10, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 11, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 12, 2), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_END, 20, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_END, 21, 1), "job", NULL);
    add(&b, marker(TM_KIND_SLICE_BEGIN, 30, 3), "job", NULL);
    rows_are(&b, "markers",
             "slice 0 10 -1 t0 d0 p-1 job -\n"
             "slice 1 12 -1 t1 d0 p-1 job -\n"
             "end 0 10 a-1\n"
             "slice 2 30 -1 t0 d0 p-1 job -\n");
    add(&b, marker(TM_KIND_SLICE_BEGIN, 40, 1), "one", "lane");
    add(&b, marker(TM_KIND_SLICE_BEGIN, 41, 1), "two", "lane");
    add(&b, marker(TM_KIND_SLICE_END, 42, 1), NULL, "lane");
    struct tm_event instant = marker(TM_KIND_INSTANT, 43, 0);
    instant.flags &= ~(uint32_t)TM_EVENT_HAS_TRACK;
    add(&b, instant, "now", "lane");
    rows_are(&b, "markers, part 2",
             "slice 3 40 -1 t2 d0 p-1 one -\n"
             "slice 4 41 -1 t2 d1 p3 two -\n"
             "end 4 1 a-1\n"
             "slice 5 43 0 t3 d0 p-1 now -\n");
    is_int(b.model.layout.tracks.rows[2].scope, TM_TRACK_PROCESS);
    ok(tm_tracks_text(&b.model.layout.tracks, b.model.layout.tracks.rows[3].name).len == 4);
    stop(&b);
}

static struct tm_event async(uint32_t kind, int64_t ts, uint64_t id)
{
    struct tm_event e = in_json(on_thread(kind, ts, 7));
    e.flags &= ~(UINT32_C(15) << TM_EVENT_SCOPE_SHIFT);
    e.flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
    e.track = id;
    return e;
}

static void test_async(void)
{
    struct bench b;
    start_as(&b, "json");
    add(&b, async(TM_KIND_SLICE_BEGIN, 10, 1), "load", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 11, 2), "load", "net");
    add(&b, async(TM_KIND_INSTANT, 12, 1), "step", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 13, 1), "part", "net");
    add(&b, async(TM_KIND_SLICE_END, 14, 1), "part", "net");
    add(&b, async(TM_KIND_SLICE_END, 15, 1), "load", "net");
    add(&b, async(TM_KIND_SLICE_BEGIN, 20, 3), "load", "net");
    add(&b, async(TM_KIND_INSTANT, 21, 9), "z", "net");
    rows_are(&b, "async",
             "slice 0 10 -1 t0 d0 p-1 load net\n"
             "slice 1 11 -1 t1 d0 p-1 load net\n"
             "slice 2 12 0 t0 d1 p0 step net\n"
             "slice 3 13 -1 t0 d1 p0 part net\n"
             "end 3 1 a-1\n"
             "end 0 5 a-1\n"
             "slice 4 20 -1 t0 d0 p-1 load net\n");
    is_int(b.model.layout.tracks.rows[0].scope, TM_TRACK_GLOBAL);
    stop(&b);
}

static void test_files_apart(void)
{
    struct bench b;
    struct tm_event e;
    start(&b);
    add(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "a", NULL);
    e = on_thread(TM_KIND_SLICE_BEGIN, 11, 7);
    e.file = PROTO_2;
    add(&b, e, "b", NULL);
    rows_are(&b, "files apart",
             "slice 0 10 -1 t0 d0 p-1 a -\n"
             "slice 1 11 -1 t1 d0 p-1 b -\n");
    ok(b.model.layout.tracks.rows[0].owner == b.model.layout.tracks.rows[1].owner);
    stop(&b);
}

static void put_arg(struct tm_buf *detail, const char *key, int64_t value)
{
    size_t mark;
    tm_pb_begin(detail, 1, &mark);
    tm_pb_put_str(detail, 1, key);
    tm_pb_put_varint(detail, 2, tm_zigzag(value));
    tm_pb_end(detail, mark);
}

static void test_flows(void)
{
    struct bench b;
    struct tm_event e;
    start(&b);
    add(&b, complete(10, 5), "from", NULL);
    e = on_thread(TM_KIND_FLOW_START, 11, 7);
    e.track = 900;
    add(&b, e, NULL, NULL);
    e = on_thread(TM_KIND_FLOW_END, 20, 7);
    e.track = 900;
    e.value = 1;
    add(&b, e, NULL, NULL);
    add(&b, complete(30, 5), "to", NULL);
    e.time_ns = 31;
    e.value = 0;
    e.track = 901;
    add(&b, e, NULL, NULL);
    rows_are(&b, "flows",
             "slice 0 10 5 t0 d0 p-1 from -\n"
             "slice 1 30 5 t0 d0 p-1 to -\n"
             "flow 0 1\n");
    is_int(b.model.out.stats.rows[0].counts[TM_MODEL_FLOW_END_WITHOUT_START], 1);
    struct tm_buf ids = {0};
    tm_pb_put_i64(&ids, 2, 55);
    e = complete(40, 1);
    add_detail(&b, e, "p", NULL, &ids);
    e = complete(50, 1);
    add_detail(&b, e, "q", NULL, &ids);
    rows_are(&b, "flows, part 2",
             "slice 2 40 1 t0 d0 p-1 p -\n"
             "slice 3 50 1 t0 d0 p-1 q -\n"
             "flow 2 3\n");
    tm_buf_release(&ids);
    stop(&b);
}

/* An event has more flows than are read at once, between its args. All are applied, in their order. */
static void test_many_flows(void)
{
    enum { FLOWS = 7 };
    struct bench b;
    struct tm_buf ids = {0}, last = {0};
    start(&b);
    for (uint64_t i = 0; i < FLOWS; i++) {
        tm_pb_put_i64(&ids, TM_DETAIL_FLOW_IDS, 70 + i);
        put_arg(&ids, "n", (int64_t)i);
    }
    add_detail(&b, complete(10, 1), "p", NULL, &ids);
    tm_pb_put_i64(&last, TM_DETAIL_FLOW_IDS, 70 + FLOWS - 1);
    add_detail(&b, complete(20, 1), "q", NULL, &last);
    tm_pb_put_i64(&last, TM_DETAIL_FLOW_IDS, 70);
    add_detail(&b, complete(30, 1), "r", NULL, &last);
    struct tm_buf wanted = {0};
    for (int i = 0; i < FLOWS; i++)
        tm_buf_addf(&wanted, "arg a0 n int %d -\n", i);
    tm_buf_addf(&wanted, "slice 0 10 1 t0 d0 p-1 p -\n"
                         "slice 1 20 1 t0 d0 p-1 q -\n"
                         "flow 0 1\n"
                         "slice 2 30 1 t0 d0 p-1 r -\n"
                         "flow 1 2\n"
                         "flow 0 2\n");
    rows_are(&b, "many flows", tm_buf_cstr(&wanted));
    tm_buf_release(&ids);
    tm_buf_release(&last);
    tm_buf_release(&wanted);
    stop(&b);
}

static void test_args(void)
{
    struct bench b;
    struct tm_buf one = {0}, two = {0};
    start(&b);
    put_arg(&one, "debug.a", -4);
    put_arg(&two, "debug.b", 5);
    add_detail(&b, on_thread(TM_KIND_SLICE_BEGIN, 10, 7), "x", NULL, &one);
    add_detail(&b, on_thread(TM_KIND_SLICE_END, 11, 7), NULL, NULL, &two);
    add_detail(&b, on_thread(TM_KIND_SLICE_BEGIN, 12, 7), "x", NULL, &one);
    add_detail(&b, on_thread(TM_KIND_SLICE_END, 13, 7), NULL, NULL, NULL);
    rows_are(&b, "args",
             "arg a0 debug.a int -4 -\n"
             "slice 0 10 -1 t0 d0 p-1 x -\n"
             "arg a1 debug.a int -4 -\n"
             "arg a1 debug.b int 5 -\n"
             "end 0 1 a1\n"
             "slice 1 12 -1 t0 d0 p-1 x -\n"
             "end 1 1 a0\n");
    tm_buf_release(&one);
    tm_buf_release(&two);
    stop(&b);
}

int main(void)
{
    test_nesting();
    test_cut_short();
    test_json_moment();
    test_json_end_first();
    test_crossing();
    test_order_is_checked();
    test_markers();
    test_async();
    test_files_apart();
    test_flows();
    test_many_flows();
    test_args();
    return tap_done();
}
