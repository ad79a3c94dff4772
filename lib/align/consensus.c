#include "align/consensus.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 16, CUTS = 16, HALVINGS = 30, REFITS = 3, STEP_VIOLATED_MIN = 4 };

/* A constraint of a line with a given slope: a bound on its offset. */
struct level {
    int64_t w;
    uint32_t of; /* index of the constraint */
    bool is_lower;
};

struct fit {
    struct tm_line line;
    uint64_t agreeing;
    int64_t width; /* length of the range of offsets on which so many agree */
};

struct work {
    const struct tm_constraint *constraints;
    uint32_t count;
    struct level *levels, *merged; /* of the last slope, in order; room to merge runs of them */
    int64_t *values;
};

static int by_x(const void *a, const void *b)
{
    const struct tm_constraint *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    if (p->z != q->z)
        return p->z < q->z ? -1 : 1;
    return (int)p->is_lower - (int)q->is_lower;
}

void tm_constraints_sort(struct tm_constraint *constraints, uint32_t count)
{
    if (count > 0)
        qsort(constraints, count, sizeof *constraints, by_x);
}

/* Lower bounds come first, so that two equal bounds agree. */
static bool is_before(const struct level *p, const struct level *q)
{
    return p->w != q->w ? p->w < q->w : p->is_lower && !q->is_lower;
}

/* Returns the end of the run, levels in order, that begins at FIRST. */
static uint32_t run_end(const struct level *levels, uint32_t first, uint32_t count)
{
    while (++first < count && !is_before(&levels[first], &levels[first - 1])) {
    }
    return first;
}

/* Merges each two neighbouring runs of FROM into one of TO. */
static void merge_runs(const struct level *from, struct level *to, uint32_t count)
{
    for (uint32_t first = 0; first < count;) {
        uint32_t middle = run_end(from, first, count), end = middle < count ? run_end(from, middle, count) : count;
        uint32_t a = first, b = middle;
        for (; first < end; first++)
            to[first] = a == middle || (b < end && is_before(&from[b], &from[a])) ? from[b++] : from[a++];
    }
}

static void sort_levels(const struct work *w)
{
    while (run_end(w->levels, 0, w->count) < w->count) {
        merge_runs(w->levels, w->merged, w->count);
        memcpy(w->levels, w->merged, w->count * sizeof *w->levels);
    }
}

/* Finds the offset on which most constraints agree, for the given slope. Between similar slopes few levels change
 * places, so a sort that merges runs has little to do. */
static struct fit fit_offset(const struct work *w, int64_t slope)
{
    int64_t at = w->constraints[0].x;
    uint64_t agreeing = 0;
    const struct tm_line line = {at, 0, slope};
    for (uint32_t i = 0; i < w->count; i++) {
        const struct tm_constraint *c = &w->constraints[w->levels[i].of];
        w->levels[i].w = c->z - tm_line_at(&line, c->x);
        w->levels[i].is_lower = c->is_lower;
        agreeing += !c->is_lower;
    }
    sort_levels(w);
    struct fit best = {.line = {at, w->levels[0].w, slope}, .agreeing = agreeing};
    for (uint32_t i = 0; i < w->count; i++) {
        agreeing += w->levels[i].is_lower ? 1 : (uint64_t)-1;
        bool ends = i + 1 == w->count;
        int64_t width = ends ? 0 : w->levels[i + 1].w - w->levels[i].w;
        if (w->levels[i].is_lower && (agreeing > best.agreeing || (agreeing == best.agreeing && width > best.width))) {
            best.agreeing = agreeing;
            best.width = width;
            best.line.offset_ns = w->levels[i].w + width / 2;
        }
    }
    return best;
}

static bool is_better(const struct fit *a, const struct fit *b)
{
    return a->agreeing != b->agreeing ? a->agreeing > b->agreeing : a->width > b->width;
}

/* Climbs from SLOPE in smaller and smaller steps. */
static struct fit climb(const struct work *w, int64_t slope, int64_t stride)
{
    for (uint32_t i = 0; i < w->count; i++)
        w->levels[i].of = i;
    struct fit best = fit_offset(w, slope);
    for (int i = 0; i < HALVINGS && stride > 0; i++, stride /= 2) {
        struct fit up = fit_offset(w, best.line.slope + stride), down = fit_offset(w, best.line.slope - stride);
        if (is_better(&up, &best))
            best = up;
        if (is_better(&down, &best))
            best = down;
    }
    return best;
}

static int64_t median(int64_t *values, uint32_t count)
{
    /* Callers have filled COUNT values. cppcheck assumes that their loop may not run. */
    /* cppcheck-suppress uninitvar */
    qsort(values, count, sizeof *values, tm_order_i64);
    return values[count / 2];
}

/* Finds the point between the medians of the upper and the lower constraints in [FIRST, LAST). False if there are none
 * of a kind. */
static bool find_middle(const struct work *w, uint32_t first, uint32_t last, struct tm_constraint *middle)
{
    int64_t sides[2];
    for (int lower = 0; lower < 2; lower++) {
        uint32_t n = 0;
        for (uint32_t i = first; i < last; i++)
            if (w->constraints[i].is_lower == (lower != 0))
                w->values[n++] = w->constraints[i].z;
        if (n == 0)
            return false;
        sides[lower] = median(w->values, n);
    }
    *middle =
        (struct tm_constraint){.x = w->constraints[first + (last - first) / 2].x, .z = sides[0] / 2 + sides[1] / 2};
    return true;
}

/* Returns the median of the slopes between parts of the recording (Theil 1950, Sen 1968). */
static int64_t rough_slope(const struct work *w)
{
    struct tm_constraint middles[BINS];
    int64_t slopes[BINS * BINS];
    uint32_t n = 0, m = 0;
    for (uint32_t b = 0; b < BINS; b++) {
        uint32_t first = (uint32_t)((uint64_t)w->count * b / BINS),
                 last = (uint32_t)((uint64_t)w->count * (b + 1) / BINS);
        if (first < last && find_middle(w, first, last, &middles[n]))
            n++;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (middles[j].x > middles[i].x)
                slopes[m++] = tm_slope_of(middles[j].z - middles[i].z, middles[j].x - middles[i].x);
    return m ? median(slopes, m) : 0;
}

static struct fit fit_line(const struct work *w)
{
    int64_t stride = TM_SLOPE_LIMIT / 16;
    struct fit zero = climb(w, 0, stride), rough = climb(w, rough_slope(w), stride);
    return is_better(&rough, &zero) ? rough : zero;
}

static bool agrees(const struct tm_line *line, const struct tm_constraint *c)
{
    int64_t z = tm_line_at(line, c->x);
    return c->is_lower ? z >= c->z : z <= c->z;
}

static struct work part(const struct work *w, uint32_t first, uint32_t last)
{
    return (struct work){w->constraints + first, last - first, w->levels, w->merged, w->values};
}

static bool has_both(const struct work *w)
{
    uint32_t lower = 0;
    for (uint32_t i = 0; i < w->count; i++)
        lower += w->constraints[i].is_lower;
    return lower >= TM_CONSENSUS_SIDE_MIN && w->count - lower >= TM_CONSENSUS_SIDE_MIN;
}

/* Finds the cut where most constraints agree with A before it and with B after it: the middle of the best range. */
static uint32_t find_cut(const struct work *w, const struct tm_line *a, const struct tm_line *b)
{
    int64_t sum = 0, best = 0;
    uint32_t first = 0, last = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        sum += (int64_t)agrees(a, &w->constraints[i]) - (int64_t)agrees(b, &w->constraints[i]);
        if (sum > best) {
            best = sum;
            first = i + 1;
        }
        if (sum == best)
            last = i + 1;
    }
    return first + (last - first) / 2;
}

struct cut {
    uint32_t at;
    struct fit before, after;
};

static uint64_t cut_agreeing(const struct cut *c)
{
    /* Callers have filled C: fit_cut was true. */
    /* cppcheck-suppress ctuuninitvar */
    return c->before.agreeing + c->after.agreeing;
}

static bool fit_cut(const struct work *w, uint32_t at, struct cut *cut)
{
    struct work before = part(w, 0, at), after = part(w, at, w->count);
    if (!has_both(&before) || !has_both(&after))
        return false;
    *cut = (struct cut){at, fit_line(&before), fit_line(&after)};
    return true;
}

/* Finds the best cut that leaves enough constraints on both sides. */
static bool find_step(const struct work *w, struct cut *best)
{
    bool found = false;
    for (uint32_t i = 1; i < CUTS; i++) {
        struct cut cut;
        if (!fit_cut(w, (uint32_t)((uint64_t)w->count * i / CUTS), &cut))
            continue;
        if (!found || cut_agreeing(&cut) > cut_agreeing(best))
            *best = cut;
        found = true;
    }
    for (int i = 0; found && i < REFITS; i++) {
        struct cut cut;
        uint32_t at = find_cut(w, &best->before.line, &best->after.line);
        if (at == best->at || !fit_cut(w, at, &cut) || cut_agreeing(&cut) < cut_agreeing(best))
            break;
        *best = cut;
    }
    return found;
}

static void add_line(struct tm_consensus *consensus, const struct work *w, const struct fit *fit)
{
    consensus->lines[consensus->count] = fit->line;
    consensus->starts[consensus->count] = w->constraints[0].x;
    consensus->violated += w->count - fit->agreeing;
    consensus->count++;
}

/* Adds the lines for the constraints of W, at most LINES. That is WHOLE, or the lines on both sides of a step if it
 * explains enough of what WHOLE violates. */
static void divide(struct tm_consensus *consensus, const struct work *w, const struct fit *whole, uint32_t lines)
{
    struct cut cut;
    uint64_t violated = w->count - whole->agreeing;
    if (lines < 2 || violated < STEP_VIOLATED_MIN || !find_step(w, &cut) ||
        (w->count - cut_agreeing(&cut)) * 5 > violated * (lines > 2 ? 4 : 1)) {
        add_line(consensus, w, whole);
        return;
    }
    struct work before = part(w, 0, cut.at), after = part(w, cut.at, w->count);
    divide(consensus, &before, &cut.before, lines / 2);
    divide(consensus, &after, &cut.after, lines / 2);
}

/* Returns the line of CONSENSUS at reading X. */
static const struct tm_line *line_at(const struct tm_consensus *consensus, int64_t x)
{
    uint32_t i = consensus->count - 1;
    while (i > 0 && x < consensus->starts[i])
        i--;
    return &consensus->lines[i];
}

bool tm_consensus_agrees(const struct tm_consensus *consensus, const struct tm_constraint *c)
{
    return agrees(line_at(consensus, c->x), c);
}

enum tm_status tm_consensus_find(struct tm_consensus *consensus, struct tm_constraint *constraints, uint32_t count,
                                 struct tm_error *err)
{
    struct work w = {constraints, count, malloc(count * sizeof *w.levels), malloc(count * sizeof *w.merged),
                     malloc(count * sizeof *w.values)};
    enum tm_status st = w.levels && w.merged && w.values ? TM_OK : tm_error_nomem(err);
    *consensus = (struct tm_consensus){.count = 0};
    if (st == TM_OK) {
        tm_constraints_sort(constraints, count);
        struct fit whole = fit_line(&w);
        divide(consensus, &w, &whole, TM_CONSENSUS_STEPS_MAX + 1);
        if (consensus->count > 1 && consensus->violated * 5 > w.count - whole.agreeing) {
            *consensus = (struct tm_consensus){.count = 0};
            add_line(consensus, &w, &whole);
        }
    }
    free(w.levels);
    free(w.merged);
    free(w.values);
    return st;
}
