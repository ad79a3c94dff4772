/* Unit tests of the clock graph: conversion, refusals, searches. */
#include "base/checked.h"
#include "clocks/clock_graph.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

static struct tm_error err;

/* Returns clock ID of machine 0, scoped to sequence 1 if the id is of a sequence. */
static uint32_t clock_of(struct tm_clock_graph *g, uint32_t id)
{
    struct tm_clock_key key = {.clock = id, .sequence = tm_clock_is_scoped(id)};
    uint32_t index = 0;
    if (tm_clock_graph_clock(g, &key, &index, &err) != TM_OK)
        abort();
    return index;
}

/* Adds a snapshot given as pairs of id and value up to id 0. Returns true if it was accepted. */
static bool snap(struct tm_clock_graph *g, const int64_t *pairs)
{
    struct tm_reading readings[16];
    uint32_t n = 0;
    bool is_valid;
    for (; pairs[0]; pairs += 2)
        readings[n++] = (struct tm_reading){.clock = clock_of(g, (uint32_t)pairs[0]), .value = pairs[1], .unit_ns = 1};
    if (tm_clock_graph_add(g, &(struct tm_clock_relation){readings, n, TM_EDGE_SNAPSHOT}, &is_valid, &err) != TM_OK)
        abort();
    return is_valid;
}
#define SNAP(g, ...) snap(g, (const int64_t[]){__VA_ARGS__, 0})

static bool snap_one(struct tm_clock_graph *g, struct tm_reading reading)
{
    bool is_valid;
    return tm_clock_graph_add(g, &(struct tm_clock_relation){&reading, 1, TM_EDGE_SNAPSHOT}, &is_valid, &err) ==
               TM_OK &&
           is_valid;
}

/* Points of a line from clock A to clock B: pairs of readings, each later than the one before. */
static bool add_line(struct tm_clock_graph *g, uint32_t a, uint32_t b, const int64_t (*points)[2], int count)
{
    struct tm_reading pair[2] = {{.clock = clock_of(g, a), .unit_ns = 1}, {.clock = clock_of(g, b), .unit_ns = 1}};
    const struct tm_clock_relation relation = {pair, 2, TM_EDGE_MANIFEST};
    bool is_valid = true;
    for (int i = 0; i < count && is_valid; i++) {
        bool is_step = i > 0 && points[i][0] - 1 == pair[0].value;
        pair[0].value = points[i][0];
        pair[1].value = points[i][1];
        enum tm_status st = i ? tm_clock_graph_add_point(g, &relation, is_step, &is_valid, &err)
                              : tm_clock_graph_add(g, &relation, &is_valid, &err);
        if (st != TM_OK)
            abort();
    }
    return is_valid;
}

static long long at(struct tm_clock_graph *g, uint32_t id, int64_t ns)
{
    struct tm_step step;
    enum tm_convert result = tm_clock_graph_convert(g, clock_of(g, id), ns, &step);
    return result == TM_CONVERT_OK ? tm_step_apply(&step, ns) : -1000 - (long long)result;
}

enum { NO_SOURCE = -1001, NO_TARGET = -1002, NO_PATH = -1003, OUT_OF_RANGE = -1004 };

static void test_steps(void)
{
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    is_int(at(&g, 3, 5), NO_SOURCE);
    SNAP(&g, 3, 0, 1, 0);
    is_int(at(&g, 3, 5), NO_TARGET);
    is_int(at(&g, 6, 5), 5);
    SNAP(&g, 6, 1000, 3, 100);
    SNAP(&g, 6, 2000, 3, 1000);
    SNAP(&g, 6, 3000, 3, 2010);
    is_int(at(&g, 3, 0), 900);
    is_int(at(&g, 3, 100), 1000);
    is_int(at(&g, 3, 999), 1899);
    is_int(at(&g, 3, 1000), 2000);
    is_int(at(&g, 3, 2009), 3009);
    is_int(at(&g, 3, 2010), 3000);
    is_int(at(&g, 3, 5000), 5990);
    /* Two hops, each with a snapshot of its own. */
    is_int(at(&g, 130, 1), NO_SOURCE);
    SNAP(&g, 3, 50, 130, 7);
    SNAP(&g, 3, 1050, 130, 900);
    is_int(at(&g, 130, 7), 950);
    is_int(at(&g, 130, 899), 1842);
    is_int(at(&g, 130, 900), 2050);
    /* Equal readings: the latest counts. */
    SNAP(&g, 6, 10000, 3, 2010);
    is_int(at(&g, 3, 2010), 10000);
    tm_clock_graph_release(&g);
}

static void test_hops(void)
{
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    for (int64_t i = 200; i < 205; i++)
        SNAP(&g, i, 10, i + 1, 11);
    is_int(at(&g, 200, 10), NO_TARGET);
    SNAP(&g, 204, 10, 6, 20);
    is_int(at(&g, 202, 10), 22);
    is_int(at(&g, 201, 10), 23);
    is_int(at(&g, 200, 10), NO_PATH);
    ok(tm_clock_graph_reaches(&g, clock_of(&g, 200), clock_of(&g, 204)));
    ok(!tm_clock_graph_reaches(&g, clock_of(&g, 200), clock_of(&g, 205)));
    ok(tm_clock_graph_reaches(&g, clock_of(&g, 999), clock_of(&g, 999)));
    /* A shorter path is used, whatever its result. */
    SNAP(&g, 201, 10, 6, 1000);
    is_int(at(&g, 201, 10), 1000);
    is_int(at(&g, 200, 10), 1001);
    /* Another target. */
    tm_clock_graph_set_target(&g, clock_of(&g, 205));
    is_int(at(&g, 202, 10), 13);
    is_int(at(&g, 6, 20), 11);
    tm_clock_graph_release(&g);
}

/* Of two paths of one length the one over the lower clock id is used, in either order of the snapshots. */
static void test_ties(void)
{
    for (int order = 0; order < 2; order++) {
        struct tm_clock_graph g;
        tm_clock_graph_init(&g);
        tm_clock_graph_set_target(&g, clock_of(&g, 6));
        for (int i = 0; i < 2; i++) {
            int64_t over = i == order ? 3 : 5;
            SNAP(&g, 200, 10, over, 10);
            SNAP(&g, over, 10, 6, over * 100);
        }
        is_int(at(&g, 200, 10), 300);
        tm_clock_graph_release(&g);
    }
}

static void test_refusals(void)
{
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    uint32_t boottime = clock_of(&g, 6), scoped = clock_of(&g, 64), global = clock_of(&g, 128);
    tm_clock_graph_set_target(&g, boottime);
    ok(SNAP(&g, 6, 100, 3, 100));
    ok_named(!SNAP(&g, 3, 50, 3, 60, 6, 100), "the same clock twice");
    ok_named(!SNAP(&g, 6, 99, 3, 200), "trace time running backwards");
    is_int(at(&g, 3, 100), 100);
    ok_named(!snap_one(&g, (struct tm_reading){.clock = boottime, .value = 200, .unit_ns = 1000}),
             "unit of trace time");
    ok_named(!snap_one(&g, (struct tm_reading){.clock = global, .unit_ns = 1, .is_incremental = true}),
             "incremental, not scoped");
    is_int(at(&g, 128, 0), NO_PATH);
    ok(snap_one(&g, (struct tm_reading){.clock = scoped, .value = 7, .unit_ns = 1000, .is_incremental = true}));
    is_int(g.clocks.clocks[scoped].last_ns, 7000);
    ok_named(!snap_one(&g, (struct tm_reading){.clock = scoped, .value = 7, .unit_ns = 1, .is_incremental = true}),
             "unit changed");
    ok_named(!snap_one(&g, (struct tm_reading){.clock = scoped, .value = 7, .unit_ns = 1000}), "flag changed");
    ok_named(!snap_one(&g, (struct tm_reading){.clock = scoped, .value = INT64_MAX / 2, .unit_ns = 1000,
                                               .is_incremental = true}), "reading out of range");
    is_int(g.snapshot_count, 9);
    tm_clock_graph_release(&g);
}

static void test_backwards(void)
{
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    SNAP(&g, 6, 100, 1, 1000);
    SNAP(&g, 1, 5, 200, 5);
    is_int(at(&g, 1, 1000), 100);
    is_int(at(&g, 200, 5), -895);
    SNAP(&g, 6, 200, 1, 900);
    is_int(at(&g, 1, 1000), NO_PATH);
    is_int(at(&g, 200, 5), NO_PATH);
    tm_clock_graph_set_target(&g, clock_of(&g, 1));
    is_int(at(&g, 6, 250), 950);
    is_int(at(&g, 200, 5), 5);
    tm_clock_graph_release(&g);
}

static void test_lines(void)
{
    static const int64_t points[][2] = {{100, 1000}, {200, 1150}, {300, 1200}, {301, 1100}, {401, 1300}};
    struct tm_clock_graph g;
    struct tm_step step;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    ok(add_line(&g, 200, 6, points, 5));
    is_int(at(&g, 200, 100), 1000);
    is_int(at(&g, 200, 150), 1075);
    is_int(at(&g, 200, 151), 1077); /* 1076.5 */
    is_int(at(&g, 200, 0), 850);
    is_int(at(&g, 200, 250), 1175);
    is_int(at(&g, 200, 300), 1200);
    is_int(at(&g, 200, 301), 1100);
    is_int(at(&g, 200, 351), 1200);
    is_int(at(&g, 200, 1401), 3300);
    ok(tm_clock_graph_convert(&g, clock_of(&g, 200), 150, &step) == TM_CONVERT_OK);
    ok(step.first_ns == 100 || step.first_ns < -1000);
    is_int(step.last_ns, 199);
    /* In the other direction a reading is that of the latest matching row. */
    tm_clock_graph_set_target(&g, clock_of(&g, 200));
    is_int(at(&g, 6, 1075), 150);
    is_int(at(&g, 6, 1099), 166);
    is_int(at(&g, 6, 1100), 301);
    is_int(at(&g, 6, 1200), 351);
    tm_clock_graph_release(&g);
    /* Two points 1 ns apart and nothing else: two offsets. */
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    ok(add_line(&g, 200, 6, (const int64_t[][2]){{100, 1100}, {101, 601}}, 2));
    is_int(at(&g, 200, 50), 1050);
    is_int(at(&g, 200, 100), 1100);
    is_int(at(&g, 200, 101), 601);
    is_int(at(&g, 200, 900), 1400);
    tm_clock_graph_release(&g);
}

/* Between snapshots. */
static void test_interpolation(void)
{
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    g.interpolates = true;
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    SNAP(&g, 6, 1000, 3, 100);
    is_int(at(&g, 3, 150), 1050);
    SNAP(&g, 6, 2000, 3, 600);
    is_int(at(&g, 3, 0), 800);
    is_int(at(&g, 3, 350), 1500);
    is_int(at(&g, 3, 601), 2002);
    SNAP(&g, 6, 2400, 3, 1000);
    is_int(at(&g, 3, 601), 2001);
    is_int(at(&g, 3, 2000), 3956); /* by the outermost two, which are less than a second apart */
    /* Repeated readings, and a clock that stands still. */
    SNAP(&g, 6, 2500, 3, 1000);
    is_int(at(&g, 3, 1000), 2500);
    is_int(at(&g, 3, 1500), 3333);
    is_int(at(&g, 3, 800), 2200);
    tm_clock_graph_release(&g);
}

/* Two snapshots at nearly one time show how long reading the clocks takes, not their drift. */
static void test_long_lines(void)
{
    const int64_t second = 1000000000;
    struct tm_clock_graph g;
    tm_clock_graph_init(&g);
    g.interpolates = true;
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    SNAP(&g, 6, 10 * second, 3, 10 * second);
    SNAP(&g, 6, 10 * second + 1300, 3, 10 * second + 1000);
    SNAP(&g, 6, 11 * second + 100, 3, 11 * second);
    SNAP(&g, 6, 12 * second + 900, 3, 12 * second);
    SNAP(&g, 6, 12 * second + 1200, 3, 12 * second + 400);
    is_int(at(&g, 3, 9 * second), 9 * second - 100);
    is_int(at(&g, 3, 10 * second + 500), 10 * second + 650);
    is_int(at(&g, 3, 13 * second), 13 * second + 1500);
    tm_clock_graph_release(&g);
}

static void test_range(void)
{
    struct tm_clock_graph g;
    struct tm_step step;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    SNAP(&g, 6, INT64_MAX - 10, 3, 0);
    is_int(at(&g, 3, 10), INT64_MAX);
    is_int(at(&g, 3, 11), OUT_OF_RANGE);
    ok(tm_clock_graph_convert(&g, clock_of(&g, 3), 5, &step) == TM_CONVERT_OK);
    is_int(step.last_ns, 10);
    ok(step.first_ns == INT64_MIN);
    SNAP(&g, 6, INT64_MAX, 5, INT64_MIN);
    is_int(at(&g, 5, INT64_MIN), INT64_MAX);
    is_int(at(&g, 5, INT64_MIN + 1), OUT_OF_RANGE);
    tm_clock_graph_release(&g);
}

static uint64_t seed = 42;

/* The interval and the offset of a step must agree with the conversion of each time in it. */
static bool steps_hold(struct tm_clock_graph *g, uint32_t clocks)
{
    for (int i = 0; i < 40; i++) {
        struct tm_step step, other;
        uint32_t clock = random_below32(&seed, clocks);
        int64_t ns = random_below32(&seed, 300);
        if (tm_clock_graph_convert(g, clock, ns, &step) != TM_CONVERT_OK)
            continue;
        int64_t times[] = {step.first_ns, step.last_ns, ns, random_below32(&seed, 300)};
        for (int k = 0; k < 4; k++) {
            bool is_inside = times[k] >= step.first_ns && times[k] <= step.last_ns;
            if (is_inside && (tm_clock_graph_convert(g, clock, times[k], &other) != TM_CONVERT_OK ||
                              tm_step_apply(&other, times[k]) != tm_step_apply(&step, times[k])))
                return false;
        }
    }
    return true;
}

static void test_random_steps(void)
{
    enum { CLOCKS = 8 };
    bool holds = true;
    for (int round = 0; round < 300 && holds; round++) {
        struct tm_clock_graph g;
        tm_clock_graph_init(&g);
        g.interpolates = round % 3 == 2;
        for (uint32_t i = 0; i < CLOCKS; i++)
            clock_of(&g, 200 + i);
        tm_clock_graph_set_target(&g, 0);
        for (int i = 0; i < 12; i++) {
            uint32_t a = 200 + random_below32(&seed, CLOCKS), b = 200 + random_below32(&seed, CLOCKS);
            int64_t x = i * 20 + random_below32(&seed, 30), y = i * 20 + random_below32(&seed, 30);
            const int64_t line[][2] = {{x, y}, {x + 1 + random_below32(&seed, 9), y + random_below32(&seed, 9)}};
            if (round % 3 == 1 && a != b && i % 2)
                add_line(&g, a, b, line, 2);
            else
                SNAP(&g, a, x, b, y);
            holds = holds && steps_hold(&g, CLOCKS);
        }
        tm_clock_graph_release(&g);
    }
    ok(holds);
}

enum { SEARCHED = 14 };

/* Finds the least number of hops between clocks the plain way: HOPS[a][b] is 0 if they are one, and more than the
 * limit if there is no path. */
static void count_hops(const struct tm_clock_graph *g, int hops[SEARCHED][SEARCHED])
{
    enum { FAR = TM_GRAPH_HOPS_MAX + 1 };
    for (int a = 0; a < SEARCHED; a++)
        for (int b = 0; b < SEARCHED; b++)
            hops[a][b] = a == b ? 0 : FAR;
    for (uint32_t k = 0; k < g->kind_count; k++)
        for (uint32_t i = 0; g->kinds[k].is_linked && i < g->kinds[k].width; i++)
            for (uint32_t j = 0; j < g->kinds[k].width; j++)
                if (i != j && !g->clocks.clocks[g->kinds[k].clocks[i]].runs_backwards)
                    hops[g->kinds[k].clocks[i]][g->kinds[k].clocks[j]] = 1;
    for (int via = 0; via < SEARCHED; via++)
        for (int a = 0; a < SEARCHED; a++)
            for (int b = 0; b < SEARCHED; b++)
                if (hops[a][via] + hops[via][b] < hops[a][b])
                    hops[a][b] = hops[a][via] + hops[via][b];
}

static bool searches_hold(struct tm_clock_graph *g)
{
    int hops[SEARCHED][SEARCHED];
    count_hops(g, hops);
    for (uint32_t i = 0; i < SEARCHED * SEARCHED; i++) {
        uint32_t a = i / SEARCHED, b = i % SEARCHED;
        if (tm_clock_graph_reaches(g, a, b) != (hops[a][b] <= TM_GRAPH_HOPS_MAX))
            return false;
    }
    return true;
}

/* Random snapshots of two or three clocks; in every third graph some clocks run backwards. */
static void test_random_searches(void)
{
    bool holds = true;
    for (int round = 0; round < 300 && holds; round++) {
        struct tm_clock_graph g;
        tm_clock_graph_init(&g);
        for (uint32_t i = 0; i < SEARCHED; i++)
            clock_of(&g, 200 + i);
        tm_clock_graph_set_target(&g, 0);
        for (int i = 0; i < 16 && holds; i++) {
            int64_t at[3];
            for (int k = 0; k < 3; k++)
                at[k] = round % 3 == 2 ? (int64_t)random_below32(&seed, 4) : i;
            uint32_t a = 200 + random_below32(&seed, SEARCHED), b = 200 + random_below32(&seed, SEARCHED);
            if (random_below32(&seed, 8) == 0)
                SNAP(&g, a, at[0], b, at[1], 200 + random_below32(&seed, SEARCHED), at[2]);
            else
                SNAP(&g, a < b ? a : b, at[0], a < b ? b : a, at[1]);
            holds = searches_hold(&g);
        }
        tm_clock_graph_release(&g);
    }
    ok(holds);
}

/* Thousands of clocks with two relations each: to one of two clocks that all know, and to the other one of them if no
 * path leads there yet. Returns the steps of all searches. Every second clock has the first relation only, so that
 * both of the two are known to thousands. */
static uint64_t star_work(uint32_t clocks)
{
    struct tm_clock_graph g;
    uint32_t edges = 0;
    tm_clock_graph_init(&g);
    tm_clock_graph_set_target(&g, clock_of(&g, 6));
    for (uint32_t i = 0; i < clocks; i++) {
        uint32_t first = i % 4 < 2 ? 1 : 3, own = 200 + i;
        SNAP(&g, own, 10, first, 20);
        if (i % 2 == 0 || tm_clock_graph_reaches(&g, clock_of(&g, own), clock_of(&g, 4 - first)))
            continue;
        SNAP(&g, own, 10, 4 - first, 30);
        edges++;
    }
    is_int(edges, 1);
    /* Two clocks that only each other know are not searched for among all. */
    SNAP(&g, 4, 10, 5, 20);
    for (uint32_t i = 0; i < clocks; i++)
        edges += tm_clock_graph_reaches(&g, clock_of(&g, 200 + i), clock_of(&g, 5));
    is_int(edges, 1);
    uint64_t work = g.work;
    tm_clock_graph_release(&g);
    return work;
}

static void test_many_searches(void)
{
    uint64_t few = star_work(1000), many = star_work(8000);
    printf("# %llu steps for 1000 clocks, %llu for 8000\n", (unsigned long long)few, (unsigned long long)many);
    ok(many < few * 12);
}

static void test_shift(void)
{
    int64_t r;
    ok(tm_shift_i64(INT64_MIN + 5, INT64_MAX, INT64_MAX - 3, &r) && r == INT64_MIN + 2);
    ok(tm_shift_i64(INT64_MAX, INT64_MIN, INT64_MIN, &r) && r == INT64_MAX);
    ok(!tm_shift_i64(INT64_MAX, 0, 1, &r));
    ok(!tm_shift_i64(INT64_MIN, 1, 0, &r));
    ok(!tm_shift_i64(INT64_MIN, INT64_MAX, -1, &r));
    is_int(tm_sub_saturate_i64(INT64_MIN, 1), INT64_MIN);
    is_int(tm_sub_saturate_i64(5, -7), 12);
}

int main(void)
{
    test_shift();
    test_steps();
    test_hops();
    test_ties();
    test_refusals();
    test_backwards();
    test_lines();
    test_interpolation();
    test_long_lines();
    test_range();
    test_random_steps();
    test_random_searches();
    test_many_searches();
    return tap_done();
}
