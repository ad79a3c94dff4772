#include "align/network_work.h"

#include <stdlib.h>

enum { EXACT_FILES_MAX = 16, GRID = 9 };

/* Returns how much bounds with a range of SLOPES widen if lines are wrong by WIDTH. The instant at which they hold is
 * then uncertain by as much. */
static tm_i128 slack_of(int64_t slopes, tm_i128 width)
{
    return width >= TM_BOUND_FAR ? 0 : (width * slopes >> TM_SLOPE_BITS) + 1;
}

static uint32_t find_bounds(const struct tm_network_work *w, uint32_t group, int64_t tau, struct tm_bound *bounds)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!tm_network_is_usable(w, p) || tm_network_group(w, p->first) != group ||
            tm_network_group(w, p->second) != group || (p->above.count == 0 && p->below.count == 0))
            continue;
        int64_t x = tm_network_reading_at(w, p->first, tau);
        int64_t low = p->below.count ? tm_pair_low(p, x) : TM_UNBOUNDED_LOW;
        int64_t high = p->above.count ? tm_pair_high(p, x) : TM_UNBOUNDED_HIGH;
        struct tm_bound bound = {p->first, p->second, i, -TM_BOUND_FAR, TM_BOUND_FAR, tm_pair_slopes(p, x)};
        if (low != TM_UNBOUNDED_LOW)
            bound.low = tm_network_error_at(w, p, x, tau, low);
        if (high != TM_UNBOUNDED_HIGH)
            bound.high = tm_network_error_at(w, p, x, tau, high);
        bounds[n++] = bound;
    }
    return n;
}

static void widen_bounds(struct tm_bound *bounds, uint32_t count, const tm_i128 *widths)
{
    for (uint32_t i = 0; i < count; i++) {
        tm_i128 slack = slack_of(bounds[i].slopes, widths[bounds[i].first]);
        bounds[i].low -= bounds[i].low > -TM_BOUND_FAR ? slack : 0;
        bounds[i].high += bounds[i].high < TM_BOUND_FAR ? slack : 0;
    }
}

/* Finds the extremes at TAU twice: first to learn how wrong lines may be, then with bounds that are widened by that.
 * False if the bounds of pairs contradict each other. Pairs are left out until the others do not, if that can be.
 * WIDTHS has room for all nodes. */
static bool find_extremes_at(const struct tm_network_work *w, uint32_t group, int64_t tau, struct tm_bound *bounds,
                             tm_i128 *widths)
{
    const struct tm_bound_paths *paths = w->paths;
    bool fits = true, is_widened = false;
    uint32_t count = find_bounds(w, group, tau, bounds);
    for (;;) {
        if (tm_bound_paths_find(w->paths, group, bounds, count)) {
            if (is_widened)
                return fits;
            for (uint32_t i = 0; i < w->nodes->count; i++)
                widths[i] = paths->up[i] > paths->down[i] ? paths->up[i] : paths->down[i];
            widen_bounds(bounds, count, widths);
            is_widened = true;
        } else {
            fits = false;
            if (!tm_network_leave_out(w, group, bounds, count))
                return false;
            count = find_bounds(w, group, tau, bounds);
            is_widened = false;
        }
    }
}

static int64_t saturate_bound(tm_i128 v)
{
    return v >= INT64_MAX ? TM_UNBOUNDED_HIGH : v <= INT64_MIN ? TM_UNBOUNDED_LOW : (int64_t)v;
}

/* Enlarges ERROR. It is the error at an instant of the reference, but the report needs the offset at a reading of the
 * file. Both instants differ by the error, so the offsets differ by a thousandth of it at most. */
static tm_i128 pad(tm_i128 error)
{
    return error >= TM_BOUND_FAR ? TM_BOUND_FAR : error + ((error < 0 ? -error : error) >> 10) + 1;
}

/* Notes the bounds at NODE's reading X. The offset there lies between its line minus the greatest error and its line
 * minus the least. */
static void note_bounds(const struct tm_network_work *w, uint32_t node, int which, int64_t x)
{
    struct tm_network_node *n = &w->network->nodes[node];
    const tm_i128 v = tm_line_at(&n->line, x), up = w->paths->up[node], down = w->paths->down[node];
    n->low_ns[which] = up >= TM_BOUND_FAR ? TM_UNBOUNDED_LOW : saturate_bound(v - pad(up));
    n->high_ns[which] = down >= TM_BOUND_FAR ? TM_UNBOUNDED_HIGH : saturate_bound(v + pad(down));
}

int64_t tm_network_reading(const struct tm_align_node *node, int which)
{
    if (which == TM_NETWORK_MIDDLE)
        return node->first_ns + (node->last_ns - node->first_ns) / 2;
    tm_i128 span = (tm_i128)node->last_ns - node->first_ns;
    return node->first_ns + (int64_t)(span * which / (TM_NETWORK_READINGS - 1));
}

/* In a large group bounds are computed at some instants. Between two of them they are at most as wide as the chord,
 * because the greatest value over a set of lines is convex in time. */
struct grid {
    int64_t taus[GRID];
    tm_i128 *up, *down; /* GRID times the nodes */
};

/* Returns the bound of NODE at TAU on the chord between VALUES at two instants of the grid, or TM_BOUND_FAR. */
static tm_i128 between(const tm_i128 *values, uint32_t nodes, uint32_t node, const struct grid *g, int64_t tau)
{
    uint32_t k = 0;
    while (k + 2 < GRID && tau > g->taus[k + 1])
        k++;
    tm_i128 a = values[(size_t)k * nodes + node], b = values[(size_t)(k + 1) * nodes + node];
    tm_i128 run = (tm_i128)g->taus[k + 1] - g->taus[k], at = (tm_i128)tau - g->taus[k];
    if (a >= TM_BOUND_FAR || b >= TM_BOUND_FAR)
        return TM_BOUND_FAR;
    return run == 0 ? (a > b ? a : b) : a + ((b - a) * at + run - 1) / run + 1;
}

static bool bound_few(const struct tm_network_work *w, uint32_t group, struct tm_bound *bounds, tm_i128 *widths)
{
    for (uint32_t i = 0; i < w->nodes->count; i++)
        for (int which = 0; which < TM_NETWORK_READINGS && tm_network_group(w, i) == group; which++) {
            int64_t x = tm_network_reading(&w->nodes->nodes[i], which);
            if (!find_extremes_at(w, group, x + tm_line_at(&w->network->nodes[i].line, x), bounds, widths))
                return false;
            note_bounds(w, i, which, x);
        }
    return true;
}

static bool bound_many(const struct tm_network_work *w, uint32_t group, struct tm_bound *bounds, tm_i128 *widths)
{
    uint32_t n = w->nodes->count;
    struct tm_bound_paths *paths = w->paths;
    struct grid g = {.up = malloc(GRID * n * sizeof *g.up), .down = malloc(GRID * n * sizeof *g.down)};
    bool fits = g.up && g.down;
    int64_t first, last;
    tm_network_find_range(w, group, &first, &last);
    if (!fits)
        (void)tm_error_nomem(w->err);
    for (uint32_t k = 0; k < GRID && fits; k++) {
        g.taus[k] = first + (int64_t)((tm_i128)((tm_i128)last - first) * k / (GRID - 1));
        fits = find_extremes_at(w, group, g.taus[k], bounds, widths);
        memcpy(g.up + (size_t)k * n, paths->up, n * sizeof *g.up);
        memcpy(g.down + (size_t)k * n, paths->down, n * sizeof *g.down);
    }
    for (uint32_t i = 0; i < n && fits; i++)
        for (int which = 0; which < TM_NETWORK_READINGS && tm_network_group(w, i) == group; which++) {
            int64_t x = tm_network_reading(&w->nodes->nodes[i], which);
            int64_t tau = x + tm_line_at(&w->network->nodes[i].line, x);
            paths->up[i] = between(g.up, n, i, &g, tau);
            paths->down[i] = between(g.down, n, i, &g, tau);
            note_bounds(w, i, which, x);
        }
    free(g.up);
    free(g.down);
    return fits;
}

bool tm_network_bound(const struct tm_network_work *w, uint32_t group)
{
    struct tm_bound *bounds = malloc((w->evidence->pairs.count + 1) * sizeof *bounds);
    tm_i128 *widths = malloc(w->nodes->count * sizeof *widths);
    uint32_t size = 0;
    bool fits = bounds && widths;
    for (uint32_t i = 0; i < w->nodes->count; i++)
        size += tm_network_group(w, i) == group;
    if (!fits)
        (void)tm_error_nomem(w->err);
    else
        fits = size <= EXACT_FILES_MAX ? bound_few(w, group, bounds, widths) : bound_many(w, group, bounds, widths);
    free(bounds);
    free(widths);
    return fits;
}
