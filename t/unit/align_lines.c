/* Unit tests of hulls, corridors, consensus lines and trends, compared with an exhaustive search. */
#include "align/consensus.h"
#include "align/corridor.h"
#include "align/trend.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

static uint64_t seed = 1;

static int64_t below(int64_t n)
{
    return (int64_t)random_below(&seed, (uint64_t)n);
}

/* Returns the true z(x) of the tests in this file. */
static int64_t truth(int64_t x, int64_t ppb)
{
    return 5000000 + (int64_t)((tm_i128)x * ppb / 1000000000);
}

static int64_t delay(void)
{
    int64_t tail = below(20) == 0 ? below(3000000) : 0;
    return 8000 + below(100000) + tail;
}

struct hulls {
    struct tm_hull above, below;
};

static void fill(struct hulls *h, int count, int64_t ppb)
{
    for (int i = 0; i < count; i++) {
        int64_t x = below(20000000000);
        (void)tm_hull_add(&h->above, x, truth(x, ppb) + delay());
        x = below(20000000000);
        (void)tm_hull_add(&h->below, x, -(truth(x, ppb) - delay()));
    }
    tm_hull_settle(&h->above);
    tm_hull_settle(&h->below);
}

static void release(struct hulls *h)
{
    tm_hull_release(&h->above);
    tm_hull_release(&h->below);
}

static void test_hull(void)
{
    struct tm_hull hull = {0};
    static const struct tm_point points[] = {{0, 10}, {5, 5}, {5, 9}, {10, 0}, {10, 3}, {20, 10}, {15, 100}, {2, 8}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        (void)tm_hull_add(&hull, points[i].x, points[i].y);
    tm_hull_settle(&hull);
    is_int(hull.count, 3);
    is_int(hull.points[1].x, 10);
    is_int(tm_slope_floor(tm_hull_lowest(&hull, 0, 7)), 0);
    for (int i = 0; i < 5000; i++) /* a parabola: all are vertices */
        (void)tm_hull_add(&hull, 100 + i, -100000 + (int64_t)i * i);
    tm_hull_settle(&hull);
    ok(hull.count <= TM_HULL_POINTS_MAX);
    tm_hull_clear(&hull);
    (void)tm_hull_add(&hull, INT64_MIN / 4, INT64_MAX / 4);
    (void)tm_hull_add(&hull, 0, 0);
    (void)tm_hull_add(&hull, INT64_MAX / 4, INT64_MAX / 4);
    tm_hull_settle(&hull);
    is_int(hull.count, 3);
    tm_hull_release(&hull);
}

/* Points come in any order. Points that are no vertices take no memory, and no point that bounds a line is lost. */
static void test_hull_of_many(void)
{
    enum { POINTS = 20000 };
    static const int64_t slopes[] = {-TM_SLOPE_LIMIT, -TM_SLOPE_LIMIT / 7, 0, 12345, TM_SLOPE_LIMIT};
    struct tm_hull hull = {0};
    tm_i128 lowest[5];
    for (int i = 0; i < POINTS; i++) {
        const struct tm_point p = {below(20000000000), delay()};
        (void)tm_hull_add(&hull, p.x, p.y);
        for (int s = 0; s < 5; s++) {
            tm_i128 v = p.y * ((tm_i128)1 << TM_SLOPE_BITS) + (tm_i128)slopes[s] * (777 - (tm_i128)p.x);
            lowest[s] = i == 0 || v < lowest[s] ? v : lowest[s];
        }
    }
    ok(hull.cap <= 256);
    tm_hull_settle(&hull);
    for (int s = 0; s < 5; s++)
        ok(tm_hull_lowest(&hull, slopes[s], 777) == lowest[s]);
    tm_hull_release(&hull);
}

static void test_corridor(void)
{
    bool is_inside = true, is_tight = true, is_near = true;
    for (int n = 0; n < 50; n++) {
        struct hulls h = {{0}, {0}};
        struct tm_corridor c;
        int64_t ppb = below(400000) - 200000;
        fill(&h, 2000, ppb);
        if (!tm_corridor_find(&c, &h.above, &h.below))
            is_inside = false;
        for (int64_t x = 0; x <= 20000000000 && is_inside; x += 5000000000) {
            int64_t low = tm_corridor_low(&c, x), high = tm_corridor_high(&c, x), z = truth(x, ppb);
            struct tm_line line = tm_corridor_middle(&c, 0);
            is_inside = low <= z && z <= high;
            is_tight = is_tight && high - low < 60000;
            is_near = is_near && llabs(tm_line_at(&line, x) - z) < 15000;
        }
        release(&h);
    }
    ok_named(is_inside, "the truth is inside at every reading");
    ok_named(is_tight, "bounds are about as wide as the shortest delays of both directions");
    ok_named(is_near, "the middle is near the truth");
}

static void test_one_sided(void)
{
    struct hulls h = {{0}, {0}};
    struct tm_corridor c;
    (void)tm_hull_add(&h.above, 1000, 50);
    tm_hull_settle(&h.above);
    ok(tm_corridor_find(&c, &h.above, &h.below));
    ok(tm_corridor_low(&c, 1000) == TM_UNBOUNDED_LOW);
    is_int(tm_corridor_high(&c, 1000), 50);
    is_int(tm_corridor_high(&c, 1000 + 1000000000), 50 + 500000);
    is_int(tm_corridor_high(&c, 1000 - 1000000000), 50 + 500000);
    (void)tm_hull_add(&h.below, 1000, -51);
    tm_hull_settle(&h.below);
    ok_named(!tm_corridor_find(&c, &h.above, &h.below), "a nanosecond too much is impossible");
    release(&h);
}

enum { MANY = 1200 };

static int make(struct tm_constraint *c, int64_t step_at, int64_t step)
{
    for (int i = 0; i < MANY; i++) {
        bool is_lower = i % 2 != 0;
        c[i].x = below(20000000000);
        c[i].z = truth(c[i].x, 30000) + (is_lower ? -delay() : delay()) + (c[i].x >= step_at ? step : 0);
        c[i].is_lower = is_lower;
    }
    return MANY;
}

static void test_consensus(void)
{
    static struct tm_constraint c[MANY];
    struct tm_consensus consensus;
    struct tm_error err = {0};
    int n = make(c, INT64_MAX, 0);
    for (int i = 0; i < n / 20; i++) /* wrong matches */
        c[i * 20].z += below(400000000) - 200000000;
    is_int(tm_consensus_find(&consensus, c, (uint32_t)n, &err), TM_OK);
    is_int(consensus.count, 1);
    ok(consensus.violated > 5 && consensus.violated <= (uint64_t)n / 20);
    ok(llabs(tm_line_at(&consensus.lines[0], 0) - truth(0, 30000)) < 20000);
    ok(llabs(tm_line_at(&consensus.lines[0], 20000000000) - truth(20000000000, 30000)) < 20000);

    n = make(c, 13000000000, -167000000);
    is_int(tm_consensus_find(&consensus, c, (uint32_t)n, &err), TM_OK);
    is_int(consensus.count, 2);
    is_int(consensus.violated, 0);
    ok(llabs(consensus.starts[1] - 13000000000) < 200000000);
    ok(llabs(tm_line_at(&consensus.lines[1], 20000000000) - truth(20000000000, 30000) + 167000000) < 20000);
}

static void test_trend(void)
{
    static struct tm_sample s[MANY];
    struct tm_trend trend;
    struct tm_error err = {0};
    for (int i = 0; i < MANY; i++) {
        bool first = below(3) == 0; /* delays are more frequent on one side */
        s[i] = (struct tm_sample){.x = below(20000000000), .order = first ? 0 : 1, .other_order = first ? 1 : 0};
        s[i].y = truth(s[i].x, -20000) + (first ? 100000 : -100000) + below(20000) - 10000;
        if (i % 25 == 0)
            s[i].y += 50000000;
    }
    is_int(tm_trend_find(&trend, s, MANY, &err), TM_OK);
    ok(llabs(tm_line_at(&trend.line, 0) - truth(0, -20000)) < 3000);
    ok(llabs(tm_line_at(&trend.line, 20000000000) - truth(20000000000, -20000)) < 3000);
    ok(trend.deviation_ns < 10000);
    ok(tm_trend_variance(&trend, trend.line.at_ns) < tm_trend_variance(&trend, 20000000000));
    ok(tm_trend_variance(&trend, 20000000000) < tm_trend_variance(&trend, 200000000000) / 50);

    static const int64_t few[] = {10, 13, 14, 18};
    for (int i = 0; i < 4; i++) /* would be 250 ppm, but a nanosecond is noise */
        s[i] = (struct tm_sample){.x = i * 10000, .y = few[i]};
    is_int(tm_trend_find(&trend, s, 4, &err), TM_OK);
    ok(llabs(tm_slope_ppb(trend.line.slope)) < 30000);
}

static void test_slopes(void)
{
    is_int(tm_slope_ppb(tm_slope_of_ppb(-23908)), -23908);
    is_int(tm_slope_ppb(tm_slope_of_ppb(1)), 1);
    const struct tm_line line = {1000, 7, tm_slope_of_ppb(1000)};
    is_int(tm_line_at(&line, 1000001000), 1007);
    is_int(tm_line_at(&line, 1000 - 1000000000), -993);
}

/* Readings at the ends of the range: the result need not be accurate, but must be in range. */
static void test_far(void)
{
    static const int64_t readings[] = {TM_READING_MIN,     TM_READING_MIN + 1, -1, 0, 1, TM_READING_MAX / 2,
                                       TM_READING_MAX - 1, TM_READING_MAX};
    enum { READINGS = sizeof readings / sizeof *readings };
    const struct tm_line steep = {TM_READING_MIN, TM_OFFSET_MAX, TM_SLOPE_LIMIT};
    is_int(tm_line_at(&steep, TM_READING_MAX), TM_OFFSET_MAX);
    const struct tm_line back = tm_line_inverse(&steep), sum = tm_line_compose(&steep, &steep);
    is_int(back.offset_ns, -TM_OFFSET_MAX);
    is_int(sum.offset_ns, TM_OFFSET_MAX);
    ok(!tm_is_reading(TM_READING_MAX + 1) && !tm_is_reading(TM_READING_MIN - 1) && tm_is_reading(TM_READING_MAX));
    for (int round = 0; round < 200; round++) {
        struct tm_constraint c[64];
        struct tm_sample s[64];
        struct hulls h = {{0}, {0}};
        struct tm_corridor corridor;
        struct tm_consensus consensus;
        struct tm_error err = {0};
        struct tm_trend trend;
        for (int i = 0; i < 64; i++) {
            int64_t x = readings[below(READINGS)], z = readings[below(READINGS)] - x;
            c[i] = (struct tm_constraint){x, z, i % 2};
            s[i] = (struct tm_sample){.x = x, .y = z, .order = (uint8_t)below(3), .other_order = (uint8_t)below(3)};
            (void)(i % 2 ? tm_hull_add(&h.below, x, -z) : tm_hull_add(&h.above, x, z));
        }
        tm_hull_settle(&h.above);
        tm_hull_settle(&h.below);
        bool fits = tm_corridor_find(&corridor, &h.above, &h.below);
        bool holds = !fits || tm_corridor_low(&corridor, 0) <= tm_corridor_high(&corridor, 0);
        holds = holds && tm_consensus_find(&consensus, c, 64, &err) == TM_OK;
        holds = holds && tm_trend_find(&trend, s, 64, &err) == TM_OK && trend.deviation_ns >= 0;
        holds = holds && tm_trend_variance(&trend, TM_READING_MIN) >= 0;
        holds = holds && tm_trend_variance(&trend, TM_READING_MAX) >= 0;
        if (!holds || round == 0)
            ok(holds);
        release(&h);
    }
}

int main(void)
{
    test_slopes();
    test_far();
    test_hull();
    test_hull_of_many();
    test_corridor();
    test_one_sided();
    test_consensus();
    test_trend();
    return tap_done();
}
