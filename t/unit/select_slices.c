/* Unit tests of lib/select: slices that are pending before the wanted range, and the events that bind to them. */
#include "base/pb.h"

#include "select_bench.h"
#include "tap.h"

enum { THREAD = 1, OTHER = 2, NEXT = 1 /* value of a flow's end */ };

static struct tm_event on(enum tm_kind kind, int64_t ns)
{
    return on_thread(kind, ns, THREAD);
}

static struct tm_event flow_to_next(int64_t ns)
{
    struct tm_event e = on(TM_KIND_FLOW_END, ns);
    e.value = NEXT;
    return e;
}

static struct tm_event lasting(int64_t ns, int64_t dur_ns)
{
    struct tm_event e = on(TM_KIND_SLICE_COMPLETE, ns);
    e.dur_ns = dur_ns;
    return e;
}

/* Compares the rows that ONLY keeps of the COUNT rows at ROWS, and the number of events that it leaves out. */
static void is_left(const char *only, const struct tm_event *rows, size_t count, const char *want, unsigned left_out)
{
    struct bench b;
    uint64_t out;
    start(&b, only);
    for (size_t i = 0; i < count; i++)
        add(&b, rows[i]);
    is_str(finish(&b, &out), want);
    is_int(out, left_out);
    stop(&b);
}
#define LEFT(only, want, left_out, ...)                                                                  \
    is_left(only, (const struct tm_event[]){__VA_ARGS__},                                                \
            sizeof(struct tm_event[]){__VA_ARGS__} / sizeof(struct tm_event), want, left_out)

/* A flow before the wanted range that binds to the next slice shares that slice's fate. */
static void test_flow_to_next(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    LEFT("from=100", "10 8 1 1\n20 1 1 0\n150 4 2 0\n", 0, flow_to_next(10), on(TM_KIND_SLICE_BEGIN, 20), after);
    LEFT("from=100", "150 4 2 0\n", 3, flow_to_next(10), on(TM_KIND_SLICE_BEGIN, 20), on(TM_KIND_SLICE_END, 50), after);
    LEFT("from=100", "150 4 2 0\n", 2, flow_to_next(10), lasting(20, 30), after);
    LEFT("from=100", "10 8 1 1\n150 4 2 0\n160 1 1 0\n", 0, flow_to_next(10), after, on(TM_KIND_SLICE_BEGIN, 160));
    LEFT("from=100,to=200", "150 4 2 0\n160 8 1 1\n", 1, after, flow_to_next(160), flow_to_next(250));
    LEFT("from=100,kind=slice", "10 8 1 1\n20 1 1 0\n", 1, flow_to_next(10), on(TM_KIND_SLICE_BEGIN, 20), after);
}

/* A flow that binds to the open slice shares that slice's fate. */
static void test_flow_of_open(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    LEFT("from=100", "10 1 1 0\n20 6 1 0\n150 4 2 0\n", 0, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_FLOW_START, 20),
         after);
    LEFT("from=100", "150 4 2 0\n", 3, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_FLOW_START, 20),
         on(TM_KIND_SLICE_END, 30), after);
    LEFT("from=100,kind=counter", "", 3, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_FLOW_START, 120), after);
    LEFT("from=100,to=200", "10 1 1 0\n150 4 2 0\n250 7 1 0\n260 2 1 0\n", 0, on(TM_KIND_SLICE_BEGIN, 10), after,
         on(TM_KIND_FLOW_STEP, 250), on(TM_KIND_SLICE_END, 260));
}

/* A slice that another one cuts short before the wanted range is over. */
static void test_cut_short(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    LEFT("from=100", "60 1 1 0\n150 4 2 0\n", 2, lasting(10, 40), on(TM_KIND_SLICE_BEGIN, 20),
         on(TM_KIND_SLICE_BEGIN, 60), after);
    LEFT("from=100", "10 3 1 0\n20 1 1 0\n150 4 2 0\n", 0, lasting(10, 400), on(TM_KIND_SLICE_BEGIN, 20), after);
    LEFT("from=100", "150 4 2 0\n", 2, lasting(10, 90), on(TM_KIND_SLICE_BEGIN, 20), after);
}

/* What is kept of a slice that is cut short ends there, at the latest when the event after it comes. */
static void test_made_ends(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    const struct tm_event outer = on(TM_KIND_SLICE_BEGIN, 10), inner = on(TM_KIND_SLICE_BEGIN, 20);
    LEFT("to=60", "10 3 1 0\n20 1 1 0\n50 2 1 0\n", 1, lasting(10, 40), inner, after);
    LEFT("kind=slice_begin", "20 1 1 0\n30 1 1 0\n50 2 1 0\n50 2 1 0\n", 2, lasting(10, 40), inner,
         on(TM_KIND_SLICE_BEGIN, 30), after);
    LEFT("kind=slice_begin", "20 1 1 0\n50 2 1 0\n60 1 1 0\n", 1, lasting(10, 40), inner, on(TM_KIND_SLICE_BEGIN, 60));
    LEFT("kind=slice_begin", "20 1 1 0\n40 2 1 0\n", 2, lasting(10, 40), inner, on(TM_KIND_SLICE_END, 40), after);
    LEFT("kind=slice_begin", "20 1 1 0\n50 2 1 0\n", 2, lasting(10, 40), inner, on(TM_KIND_SLICE_END, 50), after);
    LEFT("from=40,to=60", "10 3 1 0\n20 1 1 0\n50 2 1 0\n", 1, lasting(10, 40), inner, after);
    LEFT("from=40", "10 1 1 0\n20 1 1 0\n45 2 1 0\n150 4 2 0\n", 0, outer, inner, on(TM_KIND_SLICE_END, 45), after);
}

/* Args stay with their slice. Steps are like instants, also those of a wanted slice. */
static void test_args_and_steps(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    LEFT("from=100", "10 1 1 0\n20 21 1 0\n150 4 2 0\n", 0, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_SLICE_ARGS, 20),
         after);
    LEFT("from=100", "150 4 2 0\n", 3, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_SLICE_ARGS, 20),
         on(TM_KIND_SLICE_END, 30), after);
    LEFT("from=100,kind=counter", "", 3, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_SLICE_ARGS, 120), after);
    LEFT("from=100,to=200", "10 1 1 0\n120 9 1 0\n150 4 2 0\n", 2, on(TM_KIND_SLICE_BEGIN, 10),
         on(TM_KIND_ASYNC_STEP, 20), on(TM_KIND_ASYNC_STEP, 120), after, on(TM_KIND_ASYNC_STEP, 220));
    LEFT("from=100", "120 9 1 0\n150 4 2 0\n", 0, on(TM_KIND_ASYNC_STEP, 120), after);
}

/* An event that ends a state and begins the next is kept with either of them. */
static void test_change(void)
{
    const struct tm_event after = on_thread(TM_KIND_INSTANT, 150, OTHER);
    struct tm_event next = on(TM_KIND_SLICE_BEGIN, 50);
    next.flags |= TM_EVENT_DERIVED;
    LEFT("from=100", "50 2 1 0\n50 1 1 0\n150 4 2 0\n", 1, on(TM_KIND_SLICE_BEGIN, 10), on(TM_KIND_SLICE_END, 50), next,
         after);
    struct tm_event late = next;
    late.time_ns = 120;
    LEFT("from=100", "10 1 1 0\n120 2 1 0\n120 1 1 0\n150 4 2 0\n", 0, on(TM_KIND_SLICE_BEGIN, 10),
         on(TM_KIND_SLICE_END, 120), late, after);
    LEFT("from=100,to=110", "10 1 1 0\n120 2 1 0\n120 1 1 0\n", 1, on(TM_KIND_SLICE_BEGIN, 10),
         on(TM_KIND_SLICE_END, 120), late, after);
}

/* When no more events have to be left out, batches pass unchanged. */
static void test_rest(void)
{
    struct bench b;
    uint64_t left_out;
    start(&b, "from=100");
    add(&b, on(TM_KIND_INSTANT, 50));
    add(&b, on(TM_KIND_INSTANT, 150));
    flush(&b);
    for (int64_t ns = 160; ns < 190; ns += 10) {
        add(&b, on(TM_KIND_INSTANT, ns));
        flush(&b);
    }
    is_str(finish(&b, &left_out), "150 4 1 0\n160 4 1 0\n170 4 1 0\n180 4 1 0\n");
    is_int(left_out, 1);
    is_int(tm_select_count(b.select), 4);
    stop(&b);
}

/* Pending descriptors that do not fit into memory are read back unchanged. */
static void test_waiting_spill(void)
{
    enum { TRACKS = 6, NAME_BYTES = 400000 };
    struct bench b;
    uint64_t left_out;
    char *name = malloc(NAME_BYTES);
    start(&b, "from=100");
    for (uint64_t uuid = 1; name && uuid <= TRACKS; uuid++) {
        struct tm_buf detail = {0};
        size_t mark;
        struct tm_event e = {.kind = TM_KIND_TRACK, .track = uuid, .value = uuid, .raw = (const uint8_t *)name,
                             .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK};
        memset(name, (int)uuid, NAME_BYTES);
        ok(tm_pb_begin(&detail, 5, &mark) == TM_OK && tm_pb_put_i64(&detail, 1, uuid) == TM_OK &&
           tm_pb_end(&detail, mark) == TM_OK);
        e.detail = detail.data;
        e.detail_bytes = (uint32_t)detail.len;
        e.raw_bytes = NAME_BYTES;
        add(&b, e);
        flush(&b);
        tm_buf_release(&detail);
    }
    for (uint64_t uuid = TRACKS; uuid > 0; uuid -= 2)
        add(&b, (struct tm_event){.kind = TM_KIND_INSTANT, .time_ns = 110 + TRACKS - (int64_t)uuid, .track = uuid,
                                  .flags = TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK)});
    is_str(finish(&b, &left_out), "0 33 0 6\n110 4 0 0\n0 33 0 4\n112 4 0 0\n0 33 0 2\n114 4 0 0\n");
    is_int(b.payload, (uint64_t)NAME_BYTES * (6 + 4 + 2));
    free(name);
    stop(&b);
}

/* Args beyond the number that can follow their slice are left out, also if the slice ends before the wanted range. */
static void test_many_args(void)
{
    enum { MORE = 3, ARGS = TM_PENDING_GROUPS_FOLLOWERS_MAX + MORE };
    for (int ends = 0; ends < 2; ends++) {
        struct bench b;
        uint64_t out;
        start(&b, "from=100s");
        add(&b, on(TM_KIND_SLICE_BEGIN, 10));
        for (uint32_t i = 0; i < ARGS; i++)
            add(&b, on(TM_KIND_SLICE_ARGS, 20 + i));
        if (ends)
            add(&b, on(TM_KIND_SLICE_END, 20 + ARGS));
        add(&b, on_thread(TM_KIND_INSTANT, INT64_C(150000000000), OTHER));
        const char *text = finish(&b, &out);
        uint32_t lines = 0;
        for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
            lines++;
        is_int(lines, ends ? 1 : 2 + TM_PENDING_GROUPS_FOLLOWERS_MAX);
        is_int(out, ends ? ARGS + 2 : MORE);
        stop(&b);
    }
}

int main(void)
{
    test_many_args();
    test_flow_to_next();
    test_flow_of_open();
    test_cut_short();
    test_made_ends();
    test_args_and_steps();
    test_change();
    test_rest();
    test_waiting_spill();
    return tap_done();
}
