/* Unit tests of lines between two readings: they are exact, rounded as documented, and the fast code agrees with the
 * slow code. */
#include "clocks/clock_line.h"
#include "../lib/random.h"
#include "tap.h"

static uint64_t seed = 7;

/* Returns a number of random size, below 2^BITS. */
static int64_t random_below_bits(int bits)
{
    const unsigned size = 1 + random_below32(&seed, (uint32_t)bits);
    return (int64_t)(random_next(&seed) >> (64 - size));
}

static struct tm_clock_line line_of(int64_t from0, int64_t to0, int64_t from1, int64_t to1)
{
    struct tm_clock_line line;
    tm_clock_line_init(&line, (int64_t[]){from0, from1}, (int64_t[]){to0, to1});
    return line;
}

static long long at(const struct tm_clock_line *line, int64_t t)
{
    int64_t result = 0;
    return tm_clock_line_at(line, t, &result) ? (long long)result : -1;
}

static void test_rounding(void)
{
    struct tm_clock_line line = line_of(100, 1000, 104, 1010); /* 2.5 to 1 */
    is_int(at(&line, 100), 1000);
    is_int(at(&line, 101), 1003);
    is_int(at(&line, 102), 1005);
    is_int(at(&line, 103), 1008);
    is_int(at(&line, 104), 1010);
    is_int(at(&line, 99), 998); /* 997.5 */
    is_int(at(&line, 97), 993); /* 992.5 */
    line = line_of(0, 0, 4, 2);
    is_int(at(&line, 1), 1); /* 0.5 */
    is_int(at(&line, 3), 2); /* 1.5 */
    is_int(at(&line, -2), -1);
    is_int(at(&line, -3), -1); /* -1.5 */
    line = line_of(5, 7, 6, 7);
    is_int(at(&line, 1000), 7);
}

static void test_ends(void)
{
    struct tm_clock_line line = line_of(INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX);
    int64_t r;
    ok(tm_clock_line_at(&line, INT64_MIN, &r) && r == INT64_MIN);
    ok(tm_clock_line_at(&line, INT64_MAX, &r) && r == INT64_MAX);
    ok(tm_clock_line_at(&line, 12345, &r) && r == 12345);
    line = line_of(INT64_MIN, 0, INT64_MAX, 1);
    ok(tm_clock_line_at(&line, -1, &r) && r == 0);
    ok(tm_clock_line_at(&line, 0, &r) && r == 1);
    line = line_of(0, INT64_MIN, 1, INT64_MAX);
    ok(tm_clock_line_at(&line, 1, &r) && r == INT64_MAX);
    ok(!tm_clock_line_at(&line, 2, &r));
    ok(!tm_clock_line_at(&line, INT64_MAX, &r));
    ok(!tm_clock_line_at(&line, INT64_MIN, &r));
    line = line_of(0, INT64_MAX - 1, 10, INT64_MAX);
    ok(tm_clock_line_at(&line, 14, &r) && r == INT64_MAX);
    ok(!tm_clock_line_at(&line, 15, &r));
}

/* Random lines and times of the fast path are compared with exact arithmetic. */
static void test_quick(void)
{
    long wrong = 0, quick = 0;
    for (int i = 0; i < 200000; i++) {
        int64_t from = random_below_bits(60) - random_below_bits(60);
        int64_t to = random_below_bits(60) - random_below_bits(60);
        int64_t width = random_below_bits(i % 2 ? 60 : 20) + 1, height = width;
        height += i % 3 ? random_below_bits(20) : -(width > 2 ? random_below_bits(62) % width : 0);
        struct tm_clock_line line = line_of(from, to, from + width, to + height);
        int64_t t = i % 5 ? from + random_below_bits(40) - random_below_bits(40) : from + random_below_bits(61), r;
        if (t < line.first_ns || t > line.last_ns || !tm_clock_line_at(&line, t, &r))
            continue;
        quick++;
        /* floor(x + 1/2) of the sum, not of the change alone */
        tm_i128 n = 2 * (tm_i128)(t - from) * height + width, d = 2 * (tm_i128)width;
        tm_i128 floor = n / d - (n % d < 0);
        wrong += tm_clock_line_apply(&line, t) != r || r != (int64_t)(to + floor);
        wrong += tm_clock_line_apply(&line, from) != to || (from + width <= line.last_ns &&
                                                            tm_clock_line_apply(&line, from + width) != to + height);
    }
    is_int(wrong, 0);
    ok(quick > 50000);
}

static void test_reach(void)
{
    struct tm_clock_line line = line_of(0, 0, 10000000000, 10000500000); /* 50 ppm */
    ok_named(line.first_ns < -4000000000000 && line.last_ns > 4000000000000, "an hour to both sides is quick");
    line = line_of(INT64_C(1760000000000000000), 0, INT64_C(1760000010000000000), 10000500000);
    int64_t r;
    ok(tm_clock_line_at(&line, INT64_C(1760000005000000000), &r) && r == 5000250000);
    is_int(tm_clock_line_apply(&line, INT64_C(1760000005000000000)), 5000250000);
}

static void test_drift(void)
{
    struct tm_clock_line line = line_of(0, 0, 10000000000, 10000500000);
    int64_t ppb;
    ok(tm_clock_line_drift(&line, &ppb) && ppb == 50000);
    line = line_of(0, 0, 3000000000, 2999999999);
    ok_named(tm_clock_line_drift(&line, &ppb) && ppb == -1, "rounded down");
    line = line_of(0, 0, 1, INT64_MAX);
    ok(!tm_clock_line_drift(&line, &ppb));
}

int main(void)
{
    test_rounding();
    test_ends();
    test_quick();
    test_reach();
    test_drift();
    return tap_done();
}
