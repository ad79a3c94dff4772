/* Unit tests of the counts of events by time: they depend only on the counted events. */
#include "stream/event_counts.h"
#include "../lib/random.h"
#include "tap.h"

enum { TIMES = 60000, GROUPS = 7 };

/* Returns 53 bits. */
static uint64_t next_random(uint64_t *state)
{
    return random_next(state) >> 11;
}

static void add(struct tm_event_counts *counts, const int64_t *times_ns, int first, int step)
{
    struct tm_error err = {0};
    for (int i = first; i >= 0 && i < TIMES; i += step)
        (void)tm_event_counts_add(counts, times_ns[i], 1, 1 + (uint64_t)i % 100, &err);
}

/* Writes a stream with only COUNTS to BUF. */
static enum tm_status keep_bytes(void *arg, struct tm_buf *buf, struct tm_error *err)
{
    enum tm_status st = tm_buf_add(arg, buf->data, buf->len) == TM_OK ? TM_OK : tm_error_nomem(err);
    tm_buf_clear(buf);
    return st;
}

static void write_counts(struct tm_event_counts *counts, struct tm_buf *bytes)
{
    struct tm_error err = {0};
    struct tm_stream_writer writer = {.frames = {.put = keep_bytes, .arg = bytes}};
    (void)tm_event_counts_write(counts, &writer, &err);
    (void)tm_frame_flush(&writer.frames, &err);
    tm_stream_writer_release(&writer);
}

static enum tm_status add_bytes(struct tm_event_counts *counts, const struct tm_buf *bytes, struct tm_error *err)
{
    const uint8_t *p = bytes->data;
    struct tm_frame frame;
    enum tm_status st = tm_frame_next(&p, bytes->data + bytes->len, &frame);
    return st == TM_OK ? tm_event_counts_add_frame(counts, &frame, err) : TM_E_SYSTEM;
}

static bool is_same(struct tm_event_counts *a, struct tm_event_counts *b)
{
    struct tm_buf x = {0}, y = {0};
    write_counts(a, &x);
    write_counts(b, &y);
    bool same = x.len == y.len && x.len > 0 && memcmp(x.data, y.data, x.len) == 0;
    tm_buf_release(&x);
    tm_buf_release(&y);
    return same;
}

/* Makes times around MIDDLE, at most 2^BITS away, and some distant ones. */
static void test_order(int64_t middle, unsigned bits, const char *what)
{
    static int64_t times_ns[TIMES];
    struct tm_event_counts forward = {0}, backward = {0}, all = {0}, tree = {0};
    struct tm_error err = {0};
    uint64_t state = bits;
    for (int i = 0; i < TIMES; i++)
        times_ns[i] = i % 20000 == 7
                          ? (int64_t)next_random(&state) - (1 << 20)
                          : middle + (int64_t)(next_random(&state) >> (53 - bits)) - (INT64_C(1) << (bits - 1));
    add(&forward, times_ns, 0, 1);
    add(&backward, times_ns, TIMES - 1, -1);
    ok_named(is_same(&forward, &backward), what);
    for (int g = 0; g < GROUPS; g++) {
        struct tm_event_counts part = {0};
        struct tm_buf bytes = {0};
        add(&part, times_ns, g, GROUPS);
        write_counts(&part, &bytes);
        (void)add_bytes(&all, &bytes, &err);
        if (g < 2) /* two groups, merged first */
            (void)add_bytes(&tree, &bytes, &err);
        tm_event_counts_release(&part);
        tm_buf_release(&bytes);
    }
    for (int g = GROUPS - 1; g >= 2; g--) {
        struct tm_event_counts part = {0}, merged = {0};
        struct tm_buf bytes = {0};
        add(&part, times_ns, g, GROUPS);
        write_counts(&part, &bytes);
        (void)add_bytes(&merged, &bytes, &err);
        tm_buf_clear(&bytes);
        write_counts(&tree, &bytes);
        (void)add_bytes(&merged, &bytes, &err);
        tm_event_counts_release(&tree);
        tree = merged;
        tm_event_counts_release(&part);
        tm_buf_release(&bytes);
    }
    ok_named(err.status == TM_OK && is_same(&forward, &all), "messages of groups add up to the same");
    ok_named(is_same(&forward, &tree), "and so do messages of messages");
    is_int(forward.total_bytes, TIMES / 100 * 5050);
    tm_event_counts_release(&forward);
    tm_event_counts_release(&backward);
    tm_event_counts_release(&all);
    tm_event_counts_release(&tree);
}

static void test_parts(void)
{
    enum { PARTS = 10 };
    static int64_t times_ns[TIMES];
    struct tm_event_counts counts = {0};
    int64_t points[PARTS - 1];
    uint64_t state = 1;
    uint64_t of_part[PARTS] = {0}, all = 0;
    bool rise = true, even = true;
    for (int i = 0; i < TIMES; i++) /* denser at the end */
        times_ns[i] = INT64_C(1700000000000000000) + (i % 3 ? 3 : 1) * (int64_t)(next_random(&state) >> 23);
    add(&counts, times_ns, 0, 1);
    tm_event_counts_divide(&counts, PARTS, points);
    for (int i = 0; i < TIMES; i++) {
        int part = 0;
        while (part < PARTS - 1 && times_ns[i] >= points[part])
            part++;
        of_part[part] += 1 + (uint64_t)i % 100;
        all += 1 + (uint64_t)i % 100;
    }
    for (int i = 0; i < PARTS; i++) {
        rise &= i < 2 || points[i - 1] > points[i - 2];
        even &= of_part[i] > all / PARTS - all / PARTS / 100 && of_part[i] < all / PARTS + all / PARTS / 100;
    }
    ok_named(rise, "times of parts rise");
    ok_named(even, "parts have equal sizes within a hundredth");
    tm_event_counts_release(&counts);
}

/* Few events, none, and events at the ends of the range of times. */
static void test_few(void)
{
    struct tm_event_counts counts = {0};
    struct tm_error err = {0};
    int64_t points[3];
    tm_event_counts_divide(&counts, 4, points);
    ok_named(points[0] < points[1] && points[1] < points[2], "without events times rise");
    ok(tm_event_counts_add(&counts, 5, 2, 2, &err) == TM_OK);
    tm_event_counts_divide(&counts, 4, points);
    ok_named(points[0] == 5 && points[1] == 6 && points[2] == 7, "two events of one time go to few parts");
    ok(tm_event_counts_add(&counts, INT64_MAX, 1000, 1000, &err) == TM_OK);
    tm_event_counts_divide(&counts, 4, points);
    ok_named(points[0] < points[1] && points[1] < points[2], "times rise at the end of all times");
    ok(tm_event_counts_add(&counts, INT64_MIN, 2000, 2000, &err) == TM_OK);
    tm_event_counts_divide(&counts, 4, points);
    ok_named(points[0] == INT64_MIN && points[0] < points[1] && points[1] < points[2], "and at their begin");
    ok(tm_event_counts_add(&counts, 0, 1, UINT64_MAX, &err) == TM_E_INPUT);
    tm_event_counts_release(&counts);
}

static enum tm_status add_damaged(uint32_t shift, int64_t first, uint64_t gap, uint64_t count, size_t counts)
{
    struct tm_event_counts all = {0};
    struct tm_error err = {0};
    uint64_t gaps[2] = {0, gap}, numbers[2] = {count, count};
    Tracemerge__EventCounts m = TRACEMERGE__EVENT_COUNTS__INIT;
    m.shift = shift;
    m.first = first;
    m.n_gap = 2;
    m.gap = gaps;
    m.n_count = counts;
    m.count = numbers;
    m.n_bytes = 2;
    m.bytes = numbers;
    enum tm_status st = tm_event_counts_add_message(&all, &m, &err);
    tm_event_counts_release(&all);
    return st;
}

static void test_damage(void)
{
    ok(add_damaged(10, 3, 1, 1, 2) == TM_OK);
    ok(add_damaged(63, -1, 1, 1, 2) == TM_OK);
    ok(add_damaged(64, -1, 1, 1, 2) == TM_E_INPUT);
    ok(add_damaged(63, 0, 1, 1, 2) == TM_E_INPUT);
    ok(add_damaged(10, INT64_MAX, 1, 1, 2) == TM_E_INPUT);
    ok(add_damaged(10, 3, 0, 1, 2) == TM_E_INPUT);
    ok(add_damaged(0, 3, UINT64_MAX, 1, 2) == TM_E_INPUT);
    ok(add_damaged(10, 3, 1, 0, 2) == TM_E_INPUT);
    ok(add_damaged(10, 3, 1, UINT64_MAX, 2) == TM_E_INPUT);
    ok(add_damaged(10, 3, 1, 1, 1) == TM_E_INPUT);
}

int main(void)
{
    test_order(INT64_C(1700000000000000000), 40, "an order and its reverse give the same counts");
    test_order(0, 52, "on both sides of 0");
    test_order(1000, 11, "fewer times than bins");
    test_parts();
    test_few();
    test_damage();
    return tap_done();
}
