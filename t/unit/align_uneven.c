/* Bounds of two clocks that do not drift evenly: random clocks that are known, so the truth can be compared with the
 * bounds at every time. */
#include "align/local_bounds.h"
#include "../lib/random.h"
#include "tap.h"

#include <stdlib.h>

enum { CASES = 100, MANY = 500, KNOTS = 64, SECOND = 1000000000 };

static uint64_t seed = 7;

static int64_t below(int64_t n)
{
    return (int64_t)random_below(&seed, (uint64_t)n);
}

/* The true offset over time: lines between knots, and a step before each. */
struct clock {
    int64_t span;
    int knots;
    int64_t x[KNOTS], z[KNOTS], ppb[KNOTS];
};

static int64_t truth(const struct clock *clock, int64_t x)
{
    int k = clock->knots - 1;
    while (k > 0 && x < clock->x[k])
        k--;
    return clock->z[k] + (int64_t)((tm_i128)(x - clock->x[k]) * clock->ppb[k] / SECOND);
}

static void add_knot(struct clock *clock, int64_t x, int64_t step, int64_t ppb)
{
    int64_t z = truth(clock, x) + step;
    clock->x[clock->knots] = x;
    clock->z[clock->knots] = z;
    clock->ppb[clock->knots++] = ppb;
}

static int64_t signed_below(int64_t n)
{
    return below(2 * n + 1) - n;
}

/* Returns 10^LOW to 10^HIGH, in steps of a digit. */
static int64_t magnitude(int low, int high)
{
    int64_t v = 1 + below(9);
    for (int n = low + (int)below(high - low); n > 0; n--)
        v *= 10;
    return v;
}

enum kind { EVEN, SLEWED, STEPPED, WANDERING, KINDS };

static void make_clock(struct clock *clock, enum kind kind)
{
    int64_t base = signed_below(100000), spans[] = {SECOND, 20LL * SECOND, 300LL * SECOND, 3600LL * SECOND};
    *clock = (struct clock){.span = spans[below(4)], .knots = 1, .z = {signed_below(SECOND)}, .ppb = {base}};
    int64_t rate = 0, most = magnitude(1, 4);
    for (int64_t n = 1 + below(3), at = 0; n > 0 && (kind == SLEWED || kind == STEPPED); n--) {
        at += 1 + below((clock->span - at) * 9 / 10);
        add_knot(clock, at, kind == STEPPED ? signed_below(magnitude(3, 7)) : 0,
                 base + (kind == SLEWED ? signed_below(magnitude(2, 5)) : 0));
    }
    for (int k = 1; kind == WANDERING && k < KNOTS; k++) {
        rate = tm_clamp(rate + signed_below(most), 390000);
        add_knot(clock, clock->span / KNOTS * k, 0, base + rate);
    }
}

/* Delays of one direction, longer during a burst. */
struct delays {
    int shape;
    int64_t least, scale, from, until, factor;
};

static struct delays make_delays(int64_t span)
{
    static const int64_t leasts[] = {0, 2000, 20000, 200000};
    int64_t from = below(span);
    return (struct delays){(int)below(3), leasts[below(4)], magnitude(3, 5), from,
                           below(3) == 0 ? from + below(span / 4) : from, 2 + below(20)};
}

static int64_t delay(const struct delays *d, int64_t x)
{
    int64_t flips = 0, v;
    while (below(2))
        flips++;
    switch (d->shape) {
    case 0: v = d->scale * (flips * 1000 + below(1000)) / 1443; break; /* exponential */
    case 1: v = d->scale * 300 / (1 + below(1000)); break;             /* a heavy tail */
    default: v = d->scale + below(d->scale / 10 + 1); break;
    }
    return d->least + (x >= d->from && x < d->until ? v * d->factor : v);
}

static uint32_t make_constraints(const struct clock *clock, struct tm_constraint *c, uint32_t count)
{
    struct delays d[] = {make_delays(clock->span), make_delays(clock->span)};
    for (uint32_t i = 0; i < count; i++) {
        bool is_lower = below(2);
        int64_t x = below(clock->span), z = truth(clock, x), by = delay(&d[is_lower], x);
        c[i] = (struct tm_constraint){x, is_lower ? z - by : z + by, is_lower};
    }
    tm_constraints_sort(c, count);
    return count;
}

/* What is found about a pair, as for a file that only this pair relates. */
struct result {
    bool is_certain, is_uneven, is_inside;
    int64_t width, whole_width; /* the largest by the result and by one corridor */
};

/* The constraints of a pair and all that follows from them. */
struct pair {
    struct tm_local_constraints all;
    struct tm_hull above, below;
    struct tm_corridor whole;
    struct tm_consensus consensus;
    struct tm_local_part *parts;
    struct tm_band band;
    uint32_t left_out;
};

/* Finds the corridor of the constraints that agree with the consensus, if there is one. */
static bool find_corridor(struct pair *p)
{
    tm_hull_clear(&p->above);
    tm_hull_clear(&p->below);
    p->left_out = 0;
    for (uint32_t i = 0; i < p->all.count; i++) {
        const struct tm_constraint *c = &p->all.all[i];
        if (p->all.consensus && !tm_consensus_agrees(p->all.consensus, c))
            p->left_out++;
        else
            (void)(c->is_lower ? tm_hull_add(&p->below, c->x, -c->z) : tm_hull_add(&p->above, c->x, c->z));
    }
    tm_hull_settle(&p->above);
    tm_hull_settle(&p->below);
    return tm_corridor_find(&p->whole, &p->above, &p->below);
}

static void compare(struct result *r, const struct clock *clock, const struct pair *p)
{
    r->is_inside = true;
    for (int i = 0; i <= 200; i++) {
        int64_t x = clock->span / 200 * i, z = truth(clock, x), line = tm_line_at(&p->all.line, x);
        const struct tm_corridor *c = p->parts ? tm_local_parts_at(p->parts, x) : &p->whole;
        int64_t low = r->is_uneven ? line + p->band.low_ns : tm_corridor_low(c, x);
        int64_t high = r->is_uneven ? line + p->band.high_ns : tm_corridor_high(c, x);
        int64_t width = tm_corridor_high(&p->whole, x) - tm_corridor_low(&p->whole, x);
        r->is_inside = r->is_inside && low <= z + 1 && z - 1 <= high;
        r->width = high - low > r->width ? high - low : r->width;
        r->whole_width = width > r->whole_width ? width : r->whole_width;
    }
}

static struct result judge(const struct clock *clock, struct tm_constraint *c, uint32_t count)
{
    struct pair p = {.all = {.all = c, .count = count}};
    struct tm_error err = {0};
    struct result r = {0};
    bool fits = find_corridor(&p);
    if (!fits) {
        (void)tm_consensus_find(&p.consensus, c, count, &err);
        p.all.consensus = &p.consensus;
        (void)find_corridor(&p);
    }
    r.is_certain = fits || (p.consensus.count == 1 && p.left_out * 10 <= count && p.whole.is_possible);
    if (r.is_certain) {
        p.all.line = tm_corridor_middle(&p.whole, clock->span / 2);
        r.is_uneven = tm_local_is_uneven(&p.all);
        if (r.is_uneven)
            p.band = tm_local_band(&p.all, 0, clock->span);
        r.is_certain = r.is_uneven || tm_local_is_testable(&p.all);
        (void)tm_local_parts_make(&p.parts, &p.all);
        compare(&r, clock, &p);
    }
    tm_local_parts_free(p.parts);
    tm_hull_release(&p.above);
    tm_hull_release(&p.below);
    return r;
}

static int by_value(const void *a, const void *b)
{
    return *(const int64_t *)a < *(const int64_t *)b ? -1 : *(const int64_t *)a > *(const int64_t *)b;
}

/* Fills C with COUNT constraints of both kinds in turn, 2 us from a clock that is right, or LATE_NS from it in the
 * second quarter, and set by STEP_NS at constraint STEPPED. */
static void make_even(struct tm_constraint *c, uint32_t count, int64_t late_ns, uint32_t stepped, int64_t step_ns)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t by = i >= count / 4 && i < count / 2 ? late_ns : 2000, z = i >= stepped ? step_ns : 0;
        c[i] = (struct tm_constraint){(int64_t)i * 10000000, i % 2 ? z - by : z + by, i % 2};
    }
}

static void test_burst(void)
{
    enum { COUNT = 400 };
    static struct tm_constraint c[COUNT];
    make_even(c, COUNT, SECOND, COUNT, 0);
    const struct tm_local_constraints all = {.all = c, .count = COUNT};
    int64_t middle = c[COUNT * 3 / 8].x, high = tm_local_bound(&all, false, middle, SECOND),
            low = tm_local_bound(&all, true, middle, -SECOND);
    /* half a second before and after it, in which clocks drift by 250 us at most */
    ok(high >= 250000 && high < 265000 && low <= -250000 && low > -265000);
    ok(tm_local_bound(&all, false, c[COUNT - 1].x, 3000) <= 3000 && tm_local_bound(&all, false, 0, 1500) == 1500);
    struct clock clock = {.span = c[COUNT - 1].x, .knots = 1};
    const struct result r = judge(&clock, c, COUNT);
    ok(r.is_certain && r.is_inside);
}

static void test_step_at_end(void)
{
    enum { COUNT = 1000, AFTER = 6 };
    static struct tm_constraint c[COUNT];
    for (int turn = 0; turn < 4; turn++) {
        int64_t step = turn % 2 ? 5000000 : -5000000;
        bool is_first = turn >= 2;
        make_even(c, COUNT, 2000, is_first ? 0 : COUNT - AFTER, step);
        for (uint32_t i = AFTER; is_first && i < COUNT; i++)
            c[i].z -= step;
        struct clock clock = {.span = c[COUNT - 1].x, .knots = 1, .z = {is_first ? step : 0}};
        add_knot(&clock, c[is_first ? AFTER : COUNT - AFTER].x, is_first ? -step : step, 0);
        const struct result r = judge(&clock, c, COUNT);
        ok_named(r.is_certain && r.is_uneven && r.is_inside, "a step with six constraints beyond it is in the band");
    }
}

static void test_set_back(void)
{
    enum { COUNT = 1000, AFTER = 20 };
    static struct tm_constraint c[COUNT];
    make_even(c, COUNT, 2000, COUNT - AFTER, 700000000);
    for (uint32_t i = COUNT - AFTER; i < COUNT; i++)
        c[i].x -= 700000000; /* so they are among others */
    tm_constraints_sort(c, COUNT);
    struct tm_consensus consensus = {.count = 1};
    struct tm_local_constraints all = {.all = c, .count = COUNT, .consensus = &consensus};
    ok(!tm_local_has_supported_violation(&all));
    struct tm_constraint *copy;
    ok(tm_local_turn(&all, &copy) == TM_OK && tm_local_has_supported_violation(&all));
    const struct tm_band band = tm_local_band(&all, 0, c[COUNT - 1].x);
    ok(band.high_ns >= 700000000);
    free(copy);
}

int main(void)
{
    static const char *const names[KINDS] = {"even", "slewed", "stepped", "wandering"};
    static struct tm_constraint c[MANY];
    static int64_t ratios[CASES];
    for (int kind = EVEN; kind < KINDS; kind++) {
        int certain = 0, uneven = 0, inside = 0;
        for (int i = 0; i < CASES; i++) {
            static const int64_t counts[] = {200, 300, 400, 500};
            struct clock clock;
            make_clock(&clock, (enum kind)kind);
            const struct result r = judge(&clock, c, make_constraints(&clock, c, (uint32_t)counts[below(4)]));
            ratios[certain] = r.whole_width ? r.width * 100 / r.whole_width : 100;
            certain += r.is_certain;
            uneven += r.is_certain && r.is_uneven;
            inside += r.is_certain && r.is_inside;
        }
        qsort(ratios, (size_t)certain, sizeof *ratios, by_value);
        printf("# %s: %d of %d with bounds, %d uneven, the truth inside in %d; width %lld%%, a tenth above %lld%%\n",
               names[kind], certain, CASES, uneven, inside, (long long)ratios[certain / 2],
               (long long)ratios[certain * 9 / 10]);
        /* A step or a bend that is smaller than the jitter of delays is not seen. */
        ok_named(kind == EVEN ? certain == inside : certain - inside <= certain / 33, names[kind]);
        if (kind == EVEN)
            ok_named(uneven <= certain / 10 && ratios[certain / 2] < 150, "few even clocks are taken for uneven");
    }
    test_burst();
    test_step_at_end();
    test_set_back();
    return tap_done();
}
