#include "align/network.h"

#include "base/table.h"

#include <stdlib.h>

enum { EXACT_FILES_MAX = 16, GRID = 9, SWEEPS = 300 };

/* Constraints are contradictory if more than one in this many disagrees with the others. */
enum { CONTRADICTION_PART = 10 };

/* This is beyond any possible time. */
#define FAR ((tm_i128)1 << 100)

struct work {
    struct tm_network *network;
    const struct tm_evidence *evidence;
    const struct tm_align_nodes *nodes;
    uint64_t *ranks;  /* the order of the files */
    uint32_t *groups; /* union-find over nodes */
    bool *reached;
    bool *is_of_tree;   /* by pair: lines are propagated along it */
    tm_i128 *up, *down; /* greatest error of each node's line, and the least one negated */
    struct tm_error *err;
};

static bool is_contradictory(const struct tm_pair *p)
{
    return p->is_sifted && p->consensus.count < 2 && p->left_out * CONTRADICTION_PART > p->seen[0] + p->seen[1];
}

static bool is_stepped(const struct tm_pair *p)
{
    return p->is_sifted && p->consensus.count > 1;
}

/* True for a pair that can determine a line. */
static bool is_usable(const struct work *w, const struct tm_pair *p)
{
    const struct tm_network_node *n = w->network->nodes;
    return !is_stepped(p) && !is_contradictory(p) && n[p->first].verdict != TM_VERDICT_STEPPED &&
           n[p->second].verdict != TM_VERDICT_STEPPED && (p->above.count || p->below.count || p->has_estimate);
}

static uint32_t group_of(const struct work *w, uint32_t node)
{
    while (w->groups[node] != node)
        node = w->groups[node] = w->groups[w->groups[node]];
    return node;
}

/* Unites the groups of A and B. The root of a group is its first file. */
static void unite(const struct work *w, uint32_t a, uint32_t b)
{
    a = group_of(w, a);
    b = group_of(w, b);
    if (w->ranks[a] < w->ranks[b])
        w->groups[b] = a;
    else
        w->groups[a] = b;
}

/* Numbers of a file's pairs. They decide whose clock was set. */
struct pair_counts {
    uint32_t stepped, straight; /* pairs with steps, and with a line */
};

/* True if the clock of A was more likely set than that of B. */
static bool is_likelier_set(const struct work *w, const struct pair_counts *s, uint32_t a, uint32_t b)
{
    if (s[a].stepped != s[b].stepped)
        return s[a].stepped > s[b].stepped;
    return s[a].straight != s[b].straight ? s[a].straight < s[b].straight : w->ranks[a] > w->ranks[b];
}

/* Finds the files whose clocks were set. The next one is the file in the most pairs with steps. Among several it is the
 * one in the fewest pairs with a line, and among those the last. S has room for all nodes. */
static void find_stepped(const struct work *w, struct pair_counts *s)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (;;) {
        uint32_t worst = 0;
        memset(s, 0, w->nodes->count * sizeof *s);
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            bool is_known = w->network->nodes[p->first].stepped || w->network->nodes[p->second].stepped;
            uint32_t steps = is_stepped(p) && !is_known;
            uint32_t lines = !is_stepped(p) && p->has_estimate;
            s[p->first].stepped += steps;
            s[p->second].stepped += steps;
            s[p->first].straight += lines;
            s[p->second].straight += lines;
        }
        for (uint32_t n = 1; n < w->nodes->count; n++)
            worst = is_likelier_set(w, s, n, worst) ? n : worst;
        if (w->nodes->count == 0 || s[worst].stepped == 0)
            return;
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            struct tm_network_node *node = &w->network->nodes[worst];
            uint32_t other = p->first == worst ? p->second : p->first;
            if ((p->first != worst && p->second != worst) || !is_stepped(p) || w->network->nodes[other].stepped)
                continue;
            if (node->stepped == NULL || w->ranks[other] < w->ranks[node->reference])
                node->reference = other;
            if (node->reference == other)
                node->stepped = p;
            node->left_out += p->left_out;
        }
        w->network->nodes[worst].verdict = TM_VERDICT_STEPPED;
    }
}

/* Fewer matches determine a line only near themselves, and do not show how exact it is. */
enum { MATCHES_MIN = 4 };

/* Returns the weight of P's estimate at the reading X, the inverse of its variance: of a trend from its samples if they
 * are enough, otherwise from the width of the corridor. */
static tm_i128 weight_of(const struct tm_pair *p, int64_t x)
{
    tm_i128 variance;
    if (p->is_trend && p->samples_seen >= MATCHES_MIN && !p->is_uneven) {
        variance = tm_trend_variance(&p->trend, x);
    } else {
        tm_i128 width = p->is_uneven ? (tm_i128)p->band.high_ns - p->band.low_ns
                                     : (tm_i128)tm_corridor_high(&p->corridor, x) - tm_corridor_low(&p->corridor, x);
        width = width > INT32_MAX * (tm_i128)64 ? INT32_MAX * (tm_i128)64 : width;
        variance = width * width / 12;
    }
    return ((tm_i128)1 << 60) / (variance + 1) + 1;
}

/* A pair with an estimate, and how exact its lines are. */
struct exact_pair {
    tm_i128 weight;
    uint32_t pair;
};

static int by_weight(const void *a, const void *b)
{
    const struct exact_pair *p = a, *q = b;
    if (p->weight != q->weight)
        return p->weight > q->weight ? -1 : 1;
    return p->pair < q->pair ? -1 : p->pair > q->pair;
}

/* Lists the pairs that can determine a line, the most exact first. A pair is as exact as at the worse end of its first
 * file. LIST has room for all pairs. Returns how many there are. */
static uint32_t list_estimates(const struct work *w, struct exact_pair *list)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        const struct tm_align_node *times = &w->nodes->nodes[p->first];
        if (!is_usable(w, p) || !p->has_estimate)
            continue;
        tm_i128 first = weight_of(p, times->first_ns), last = weight_of(p, times->last_ns);
        list[n++] = (struct exact_pair){first < last ? first : last, i};
    }
    if (n > 0)
        qsort(list, n, sizeof *list, by_weight);
    return n;
}

/* Forms groups by estimates, each with a tree of the most exact pairs (Kruskal 1956). A file without an estimate joins
 * a file that bounds it. */
static enum tm_status find_groups(const struct work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct exact_pair *list = malloc((pairs->count + 1) * sizeof *list);
    if (list == NULL)
        return tm_error_nomem(w->err);
    for (uint32_t i = 0; i < w->nodes->count; i++)
        w->groups[i] = i;
    const uint32_t count = list_estimates(w, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_pair *p = &pairs->pairs[list[i].pair];
        w->is_of_tree[list[i].pair] = group_of(w, p->first) != group_of(w, p->second);
        if (w->is_of_tree[list[i].pair])
            unite(w, p->first, p->second);
    }
    free(list);
    for (uint32_t i = 0; i < pairs->count; i++) { /* reached: the root of a group with estimates */
        w->reached[group_of(w, pairs->pairs[i].first)] |= group_of(w, pairs->pairs[i].first) != pairs->pairs[i].first;
        w->reached[group_of(w, pairs->pairs[i].second)] |= group_of(w, pairs->pairs[i].second) !=
                                                           pairs->pairs[i].second;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        uint32_t a = group_of(w, p->first), b = group_of(w, p->second);
        bool has_lines = w->reached[a] || w->reached[b];
        if (is_usable(w, p) && a != b && (!w->reached[a] || !w->reached[b])) {
            unite(w, a, b);
            w->reached[group_of(w, a)] = has_lines;
        }
    }
    memset(w->reached, 0, w->nodes->count * sizeof *w->reached);
    return TM_OK;
}

/* Returns a first line of P: its estimate, or a bound if it has no estimate. */
static struct tm_line line_of(const struct tm_pair *p)
{
    if (p->has_estimate)
        return p->estimate;
    int64_t at = p->above.count ? p->above.points[0].x : p->below.points[0].x;
    int64_t z = p->above.count ? tm_pair_high(p, at) : tm_pair_low(p, at);
    return (struct tm_line){.at_ns = at, .offset_ns = z};
}

/* Propagates lines along the tree of estimates, or, without ONLY_ESTIMATES, along any pair. */
static void propagate_lines(const struct work *w, bool only_estimates)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            if (!is_usable(w, p) || w->reached[p->first] == w->reached[p->second] ||
                (only_estimates && !w->is_of_tree[i]) || group_of(w, p->first) != group_of(w, p->second))
                continue;
            uint32_t to = w->reached[p->first] ? p->first : p->second, from = to == p->first ? p->second : p->first;
            struct tm_line z = line_of(p), step = to == p->first ? tm_line_inverse(&z) : z;
            w->network->nodes[from].line = tm_line_compose(&step, &w->network->nodes[to].line);
            w->reached[from] = more = true;
        }
    }
}

/* Returns the reading of NODE that its line converts to TAU, a time of the reference. */
static int64_t reading_at(const struct work *w, uint32_t node, int64_t tau)
{
    const struct tm_line *line = &w->network->nodes[node].line;
    int64_t t = tm_clamp((tm_i128)tau - line->offset_ns, INT64_MAX);
    for (int i = 0; i < 4; i++)
        t = tm_clamp((tm_i128)tau - tm_line_at(line, t), INT64_MAX);
    return t;
}

/* Returns how far from TAU the line of P's second file is when the first file reads X, if the offset of P is Z then. */
static tm_i128 error_at(const struct work *w, const struct tm_pair *p, int64_t x, int64_t tau, int64_t z)
{
    tm_i128 other = (tm_i128)x + z;
    if (other > INT64_MAX || other < INT64_MIN)
        return z > 0 ? FAR : -FAR;
    return other + tm_line_at(&w->network->nodes[p->second].line, (int64_t)other) - tau;
}

struct bound {
    uint32_t first, second;
    tm_i128 low, high; /* of e(second) - e(first) */
    int64_t slopes;    /* the range of slopes that the offset can have there */
};

/* Returns how much bounds with a range of SLOPES widen if lines are wrong by WIDTH. The instant at which they hold is
 * then uncertain by as much. */
static tm_i128 slack_of(int64_t slopes, tm_i128 width)
{
    return width >= FAR ? 0 : (width * slopes >> TM_SLOPE_BITS) + 1;
}

static uint32_t find_bounds(const struct work *w, uint32_t group, int64_t tau, struct bound *bounds)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!is_usable(w, p) || group_of(w, p->first) != group || group_of(w, p->second) != group ||
            (p->above.count == 0 && p->below.count == 0))
            continue;
        int64_t x = reading_at(w, p->first, tau);
        int64_t low = p->below.count ? tm_pair_low(p, x) : TM_UNBOUNDED_LOW;
        int64_t high = p->above.count ? tm_pair_high(p, x) : TM_UNBOUNDED_HIGH;
        bounds[n++] = (struct bound){p->first, p->second,
                                     low == TM_UNBOUNDED_LOW ? -FAR : error_at(w, p, x, tau, low),
                                     high == TM_UNBOUNDED_HIGH ? FAR : error_at(w, p, x, tau, high),
                                     tm_pair_slopes(p, x)};
    }
    return n;
}

static void widen_bounds(struct bound *bounds, uint32_t count, const tm_i128 *widths)
{
    for (uint32_t i = 0; i < count; i++) {
        tm_i128 slack = slack_of(bounds[i].slopes, widths[bounds[i].first]);
        bounds[i].low -= bounds[i].low > -FAR ? slack : 0;
        bounds[i].high += bounds[i].high < FAR ? slack : 0;
    }
}

static bool lower(tm_i128 *value, tm_i128 from, tm_i128 length)
{
    if (from >= FAR || length >= FAR || *value <= from + length)
        return false;
    *value = from + length;
    return true;
}

/* Finds the shortest paths from and to the reference. False if a cycle is negative. */
static bool find_extremes(const struct work *w, uint32_t group, const struct bound *bounds, uint32_t count)
{
    bool changed = true;
    for (uint32_t i = 0; i < w->nodes->count; i++)
        w->up[i] = w->down[i] = i == group ? 0 : FAR;
    for (uint32_t round = 0; changed && round <= w->nodes->count + 1; round++) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            const struct bound *b = &bounds[i];
            changed |= lower(&w->up[b->second], w->up[b->first], b->high);
            changed |= lower(&w->up[b->first], w->up[b->second], -b->low);
            changed |= lower(&w->down[b->first], w->down[b->second], b->high); /* down has negated values */
            changed |= lower(&w->down[b->second], w->down[b->first], -b->low);
        }
    }
    return !changed;
}

/* Finds the extremes at TAU twice: first to learn how wrong lines may be, then with bounds that are widened by that. */
static bool find_extremes_at(const struct work *w, uint32_t group, int64_t tau, struct bound *bounds, tm_i128 *widths)
{
    uint32_t count = find_bounds(w, group, tau, bounds);
    if (!find_extremes(w, group, bounds, count))
        return false;
    for (uint32_t i = 0; i < w->nodes->count; i++)
        widths[i] = w->up[i] > w->down[i] ? w->up[i] : w->down[i];
    widen_bounds(bounds, count, widths);
    return find_extremes(w, group, bounds, count);
}

static int64_t saturate_bound(tm_i128 v)
{
    return v >= INT64_MAX ? TM_UNBOUNDED_HIGH : v <= INT64_MIN ? TM_UNBOUNDED_LOW : (int64_t)v;
}

/* Enlarges ERROR. It is the error at an instant of the reference, but the report needs the offset at a reading of the
 * file. Both instants differ by the error, so the offsets differ by a thousandth of it at most. */
static tm_i128 pad(tm_i128 error)
{
    return error >= FAR ? FAR : error + ((error < 0 ? -error : error) >> 10) + 1;
}

/* Notes the bounds at NODE's reading X. The offset there lies between its line minus the greatest error and its line
 * minus the least. */
static void note_bounds(const struct work *w, uint32_t node, int which, int64_t x)
{
    struct tm_network_node *n = &w->network->nodes[node];
    int64_t v = tm_line_at(&n->line, x);
    n->low_ns[which] = w->up[node] >= FAR ? TM_UNBOUNDED_LOW : saturate_bound((tm_i128)v - pad(w->up[node]));
    n->high_ns[which] = w->down[node] >= FAR ? TM_UNBOUNDED_HIGH : saturate_bound((tm_i128)v + pad(w->down[node]));
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

/* Returns the bound of NODE at TAU on the chord between VALUES at two instants of the grid, or FAR. */
static tm_i128 between(const tm_i128 *values, uint32_t nodes, uint32_t node, const struct grid *g, int64_t tau)
{
    uint32_t k = 0;
    while (k + 2 < GRID && tau > g->taus[k + 1])
        k++;
    tm_i128 a = values[(size_t)k * nodes + node], b = values[(size_t)(k + 1) * nodes + node];
    tm_i128 run = (tm_i128)g->taus[k + 1] - g->taus[k], at = (tm_i128)tau - g->taus[k];
    if (a >= FAR || b >= FAR)
        return FAR;
    return run == 0 ? (a > b ? a : b) : a + ((b - a) * at + run - 1) / run + 1;
}

static void find_range(const struct work *w, uint32_t group, int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t i = 0; i < w->nodes->count; i++) {
        if (group_of(w, i) != group)
            continue;
        const struct tm_align_node *node = &w->nodes->nodes[i];
        int64_t a = node->first_ns + tm_line_at(&w->network->nodes[i].line, node->first_ns);
        int64_t b = node->last_ns + tm_line_at(&w->network->nodes[i].line, node->last_ns);
        *first = a < *first ? a : *first;
        *last = b > *last ? b : *last;
    }
}

static bool bound_few(const struct work *w, uint32_t group, struct bound *bounds, tm_i128 *widths)
{
    for (uint32_t i = 0; i < w->nodes->count; i++)
        for (int which = 0; which < TM_NETWORK_READINGS && group_of(w, i) == group; which++) {
            int64_t x = tm_network_reading(&w->nodes->nodes[i], which);
            if (!find_extremes_at(w, group, x + tm_line_at(&w->network->nodes[i].line, x), bounds, widths))
                return false;
            note_bounds(w, i, which, x);
        }
    return true;
}

static bool bound_many(const struct work *w, uint32_t group, struct bound *bounds, tm_i128 *widths)
{
    uint32_t n = w->nodes->count;
    struct grid g = {.up = malloc(GRID * n * sizeof *g.up), .down = malloc(GRID * n * sizeof *g.down)};
    bool fits = g.up && g.down;
    int64_t first, last;
    find_range(w, group, &first, &last);
    if (!fits)
        (void)tm_error_nomem(w->err);
    for (uint32_t k = 0; k < GRID && fits; k++) {
        g.taus[k] = first + (int64_t)((tm_i128)((tm_i128)last - first) * k / (GRID - 1));
        fits = find_extremes_at(w, group, g.taus[k], bounds, widths);
        memcpy(g.up + (size_t)k * n, w->up, n * sizeof *g.up);
        memcpy(g.down + (size_t)k * n, w->down, n * sizeof *g.down);
    }
    for (uint32_t i = 0; i < n && fits; i++)
        for (int which = 0; which < TM_NETWORK_READINGS && group_of(w, i) == group; which++) {
            int64_t x = tm_network_reading(&w->nodes->nodes[i], which);
            int64_t tau = x + tm_line_at(&w->network->nodes[i].line, x);
            w->up[i] = between(g.up, n, i, &g, tau);
            w->down[i] = between(g.down, n, i, &g, tau);
            note_bounds(w, i, which, x);
        }
    free(g.up);
    free(g.down);
    return fits;
}

/* Returns the line through the offsets at two readings. */
static struct tm_line line_through(int64_t x1, int64_t v1, int64_t x2, int64_t v2)
{
    return (struct tm_line){x1, v1, x2 > x1 ? tm_slope_of((tm_i128)v2 - v1, (tm_i128)x2 - x1) : 0};
}

/* A pull is limited to 10 hours: the sum of a million of them, times their weights, fits 128 bits. */
#define PULL_MAX (INT64_C(1) << 45)

/* The correction that a pair's estimate demands of its files' lines at an instant, and its weight. */
struct pull {
    uint32_t first, second;
    int64_t residual;
    tm_i128 weight;
};

/* The pulls on the lines of a group at one time. */
struct pulls {
    struct pull *pulls;
    uint32_t count;
};

/* Weighted sums for each node, and the sums of the weights. */
struct weighted_sums {
    tm_i128 *sums, *weights;
};

static void find_pulls(const struct work *w, uint32_t group, int64_t tau, struct pulls *pulls)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    pulls->count = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!is_usable(w, p) || !p->has_estimate || group_of(w, p->first) != group)
            continue;
        int64_t x = reading_at(w, p->first, tau);
        pulls->pulls[pulls->count++] =
            (struct pull){p->first, p->second, tm_clamp(error_at(w, p, x, tau, tm_line_at(&p->estimate, x)), PULL_MAX),
                          weight_of(p, x)};
    }
}

/* True if P has enough matches to close a cycle. */
static bool has_cycle_evidence(const struct tm_pair *p)
{
    return p->samples_seen >= MATCHES_MIN || (p->seen[0] >= MATCHES_MIN && p->seen[1] >= MATCHES_MIN);
}

/* Notes the cycles of GROUP. The lines must still be those of the tree. */
static enum tm_status note_cycles(const struct work *w, uint32_t group)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct tm_network *network = w->network;
    int64_t first, last;
    find_range(w, group, &first, &last);
    int64_t tau = (int64_t)((tm_i128)first + ((tm_i128)last - first) / 2);
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!is_usable(w, p) || !p->has_estimate || w->is_of_tree[i] || group_of(w, p->first) != group ||
            !has_cycle_evidence(p))
            continue;
        if (tm_array_grow(&network->cycles, &network->cycle_cap, network->cycle_count, sizeof *network->cycles,
                          w->err) < 0)
            return w->err->status;
        int64_t x = reading_at(w, p->first, tau);
        network->cycles[network->cycle_count++] = (struct tm_network_cycle){
            p->first, p->second, tm_clamp(error_at(w, p, x, tau, tm_line_at(&p->estimate, x)), TM_OFFSET_MAX)};
    }
    return TM_OK;
}

/* Solves least squares over PULLS. The caller subtracts CHANGES from the lines. SCRATCH has room for all nodes. */
static void relax(const struct work *w, uint32_t group, const struct pulls *pulls, int64_t *changes,
                  struct weighted_sums scratch)
{
    tm_i128 *sums = scratch.sums, *weights = scratch.weights;
    uint32_t n = w->nodes->count;
    memset(changes, 0, n * sizeof *changes);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool changed = false;
        memset(sums, 0, n * sizeof *sums);
        memset(weights, 0, n * sizeof *weights);
        for (uint32_t i = 0; i < pulls->count; i++) {
            const struct pull *p = &pulls->pulls[i];
            sums[p->second] += p->weight * ((tm_i128)changes[p->first] + p->residual);
            sums[p->first] += p->weight * ((tm_i128)changes[p->second] - p->residual);
            weights[p->first] += p->weight;
            weights[p->second] += p->weight;
        }
        for (uint32_t i = 0; i < n; i++) {
            int64_t next = i != group && weights[i] ? tm_clamp((sums[i] + weights[i] / 2) / weights[i], PULL_MAX) : 0;
            next = (next + changes[i]) / 2; /* half of the change, so that a ring does not oscillate */
            changed |= next - changes[i] > 1 || changes[i] - next > 1;
            changes[i] = next;
        }
        if (!changed)
            break;
    }
}

static enum tm_status fit_group(const struct work *w, uint32_t group)
{
    uint32_t n = w->nodes->count;
    int64_t first, last;
    int64_t *before = malloc(n * sizeof *before), *after = malloc(n * sizeof *after);
    struct weighted_sums scratch = {malloc(n * sizeof *scratch.sums), malloc(n * sizeof *scratch.weights)};
    struct pulls pulls = {malloc((w->evidence->pairs.count + 1) * sizeof *pulls.pulls), 0};
    enum tm_status st = before && after && scratch.sums && scratch.weights && pulls.pulls ? TM_OK
                                                                                          : tm_error_nomem(w->err);
    find_range(w, group, &first, &last);
    if (st == TM_OK) {
        find_pulls(w, group, first, &pulls);
        relax(w, group, &pulls, before, scratch);
        find_pulls(w, group, last, &pulls);
        relax(w, group, &pulls, after, scratch);
    }
    for (uint32_t i = 0; i < n && st == TM_OK; i++) {
        struct tm_line *line = &w->network->nodes[i].line;
        if (group_of(w, i) != group || i == group)
            continue;
        int64_t x1 = reading_at(w, i, first), x2 = reading_at(w, i, last);
        *line = line_through(x1, tm_line_at(line, x1) - before[i], x2, tm_line_at(line, x2) - after[i]);
    }
    free(before);
    free(after);
    free(scratch.sums);
    free(scratch.weights);
    free(pulls.pulls);
    return st;
}

static int64_t within(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* Moves the line inside the possible range in the middle, then turns it there so that it is inside at both ends. For
 * each possible offset in the middle there is such a slope, because the possible lines form a convex set. */
static void put_inside(const struct work *w, uint32_t node)
{
    static const int ends[] = {0, TM_NETWORK_READINGS - 1};
    struct tm_network_node *n = &w->network->nodes[node];
    int64_t middle = tm_network_reading(&w->nodes->nodes[node], TM_NETWORK_MIDDLE),
            v = tm_line_at(&n->line, middle);
    int64_t inside = within(v, n->low_ns[TM_NETWORK_MIDDLE], n->high_ns[TM_NETWORK_MIDDLE]);
    if (inside != v)
        n->line = (struct tm_line){middle, inside, n->line.slope};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int64_t x = tm_network_reading(&w->nodes->nodes[node], ends[i]), at_end = tm_line_at(&n->line, x);
        int64_t inside_end = within(at_end, n->low_ns[ends[i]], n->high_ns[ends[i]]);
        if (inside_end != at_end && x != middle)
            n->line = (struct tm_line){middle, inside, tm_slope_of((tm_i128)inside_end - inside, (tm_i128)x - middle)};
    }
}

static enum tm_verdict verdict_of(const struct work *w, uint32_t node, bool estimated)
{
    const struct tm_network_node *n = &w->network->nodes[node];
    bool low = n->low_ns[TM_NETWORK_MIDDLE] != TM_UNBOUNDED_LOW;
    bool high = n->high_ns[TM_NETWORK_MIDDLE] != TM_UNBOUNDED_HIGH;
    if (estimated)
        return TM_VERDICT_ALIGNED;
    return low && high ? TM_VERDICT_ALIGNED : low || high ? TM_VERDICT_ONE_SIDED : TM_VERDICT_NONE;
}

/* Notes which files of GROUP were tested for even drift: those that tested pairs relate to the reference. */
static void note_evenness(const struct work *w, uint32_t group)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct tm_network_node *nodes = w->network->nodes;
    nodes[group].is_tested = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            if (!is_usable(w, p) || !p->is_testable || group_of(w, p->first) != group ||
                nodes[p->first].is_tested == nodes[p->second].is_tested)
                continue;
            nodes[p->first].is_tested = nodes[p->second].is_tested = more = true;
        }
    }
    for (uint32_t i = 0; i < w->nodes->count; i++)
        if (group_of(w, i) == group && i != group)
            nodes[i].is_uneven = w->evidence->nodes[i].is_uneven || w->evidence->nodes[group].is_uneven;
}

static enum tm_status solve_group(const struct work *w, uint32_t group, bool *estimated)
{
    uint32_t n = w->nodes->count;
    struct bound *bounds = malloc((w->evidence->pairs.count + 1) * sizeof *bounds);
    tm_i128 *widths = malloc(n * sizeof *widths);
    uint32_t size = 0;
    bool fits = false;
    enum tm_status st = bounds && widths ? TM_OK : tm_error_nomem(w->err);
    w->network->nodes[group].line = (struct tm_line){w->nodes->nodes[group].first_ns, 0, 0};
    w->reached[group] = true;
    propagate_lines(w, true);
    for (uint32_t i = 0; i < n; i++) {
        estimated[i] = w->reached[i];
        size += group_of(w, i) == group;
    }
    if (st == TM_OK)
        st = note_cycles(w, group);
    propagate_lines(w, false);
    if (st == TM_OK)
        st = fit_group(w, group);
    if (st == TM_OK)
        fits = size <= EXACT_FILES_MAX ? bound_few(w, group, bounds, widths) : bound_many(w, group, bounds, widths);
    for (uint32_t i = 0; i < n && st == TM_OK; i++) {
        struct tm_network_node *node = &w->network->nodes[i];
        if (group_of(w, i) != group)
            continue;
        node->reference = group;
        node->verdict = i == group ? TM_VERDICT_REFERENCE
                        : fits     ? verdict_of(w, i, estimated[i])
                                   : TM_VERDICT_CONTRADICTORY;
        if (fits && node->verdict == TM_VERDICT_ALIGNED)
            put_inside(w, i);
    }
    note_evenness(w, group);
    free(bounds);
    free(widths);
    return w->err->status;
}

/* Returns the reading x of P's first file for which x plus the greatest offset at x is Y, a reading of the second file.
 * Without HIGH it is the least offset. */
static int64_t reading_before(const struct tm_pair *p, int64_t y, bool high)
{
    int64_t x = y;
    for (int i = 0; i < 8; i++) /* converges: an offset changes by a thousandth of a change of x */
        x = tm_clamp((tm_i128)y - (high ? tm_pair_high(p, x) : tm_pair_low(p, x)), TM_OFFSET_MAX);
    return x;
}

/* Reports the bound on one side that P gives for NODE, which has no bound against its group's reference. */
static void bound_against(const struct work *w, uint32_t node, const struct tm_pair *p)
{
    struct tm_network_node *n = &w->network->nodes[node];
    n->verdict = TM_VERDICT_ONE_SIDED;
    n->reference = p->first == node ? p->second : p->first;
    for (int which = 0; which < TM_NETWORK_READINGS; which++) {
        int64_t at = tm_network_reading(&w->nodes->nodes[node], which);
        bool above = p->above.count > 0, is_first = p->first == node, is_high = above == is_first;
        int64_t bound = !is_first ? reading_before(p, at, above) - at
                        : above   ? tm_pair_high(p, at)
                                  : tm_pair_low(p, at);
        n->low_ns[which] = is_high ? TM_UNBOUNDED_LOW : bound - !is_first;
        n->high_ns[which] = is_high ? bound + !is_first : TM_UNBOUNDED_HIGH;
    }
}

/* Judges a file of P if only P relates it, to a file without a line to the reference. The relation is a bound, or an
 * offset with steps if the clock of that file was set. True if the file has a verdict by that. */
static bool judge_by(const struct work *w, const struct tm_pair *p)
{
    bool first = w->network->nodes[p->first].verdict == TM_VERDICT_NONE;
    uint32_t node = first ? p->first : p->second, other = first ? p->second : p->first;
    struct tm_network_node *n = &w->network->nodes[node];
    enum tm_verdict beside = w->network->nodes[other].verdict;
    if (n->verdict != TM_VERDICT_NONE || beside == TM_VERDICT_NONE)
        return false;
    if (is_stepped(p) && beside == TM_VERDICT_STEPPED && w->network->nodes[other].reference != node) {
        n->verdict = TM_VERDICT_STEPPED;
        n->reference = other;
        n->stepped = p;
    } else if (is_usable(w, p) && (p->above.count > 0) != (p->below.count > 0)) {
        bound_against(w, node, p);
    }
    return n->verdict != TM_VERDICT_NONE;
}

/* Judges files that are related only through others that have no line to the reference. */
static void judge_indirect(const struct work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++)
            more |= judge_by(w, &pairs->pairs[i]);
    }
}

/* Judges files that have no line because of contradictory pairs. Counts the constraints that were left out. */
static void judge_rest(const struct work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        struct tm_network_node *a = &w->network->nodes[p->first], *b = &w->network->nodes[p->second];
        a->left_out += a->verdict == TM_VERDICT_STEPPED ? 0 : p->left_out;
        b->left_out += b->verdict == TM_VERDICT_STEPPED ? 0 : p->left_out;
        if (is_contradictory(p) && a->verdict == TM_VERDICT_NONE && b->verdict == TM_VERDICT_NONE) {
            bool first = w->ranks[p->first] < w->ranks[p->second];
            (first ? a : b)->verdict = TM_VERDICT_REFERENCE;
            (first ? b : a)->verdict = TM_VERDICT_CONTRADICTORY;
            (first ? b : a)->reference = first ? p->first : p->second;
        } else if (is_contradictory(p)) {
            struct tm_network_node *n = a->verdict == TM_VERDICT_NONE ? a : b->verdict == TM_VERDICT_NONE ? b : NULL;
            if (n == NULL)
                continue;
            n->verdict = TM_VERDICT_CONTRADICTORY;
            n->reference = n == a ? b->reference : a->reference;
        }
    }
    /* A file whose clock was set may be related only to a file without a verdict. That file is the reference then. */
    for (uint32_t i = 0; i < w->nodes->count; i++)
        if (w->network->nodes[i].verdict == TM_VERDICT_STEPPED &&
            w->network->nodes[w->network->nodes[i].reference].verdict == TM_VERDICT_NONE)
            w->network->nodes[w->network->nodes[i].reference].verdict = TM_VERDICT_REFERENCE;
}

static enum tm_status find_all(const struct work *w)
{
    uint32_t n = w->nodes->count;
    uint32_t *sizes = calloc(n + 1, sizeof *sizes);
    struct pair_counts *counts = calloc(n + 1, sizeof *counts);
    bool *estimated = calloc(n + 1, sizeof *estimated);
    enum tm_status st = sizes && counts && estimated ? TM_OK : tm_error_nomem(w->err);
    if (st == TM_OK) {
        find_stepped(w, counts);
        st = find_groups(w);
    }
    for (uint32_t i = 0; i < n && st == TM_OK; i++)
        sizes[group_of(w, i)]++;
    for (uint32_t i = 0; i < n && st == TM_OK; i++)
        if (sizes[i] > 1)
            st = solve_group(w, i, estimated);
    if (st == TM_OK) {
        judge_rest(w);
        judge_indirect(w);
    }
    free(sizes);
    free(counts);
    free(estimated);
    return st;
}

enum tm_status tm_network_find(struct tm_network *network, const struct tm_evidence *evidence,
                               const struct tm_align_nodes *nodes, const struct tm_catalog *catalog,
                               struct tm_error *err)
{
    uint32_t n = nodes->count + 1;
    struct work w = {.network = network, .evidence = evidence, .nodes = nodes, .err = err};
    network->nodes = calloc(n, sizeof *network->nodes);
    w.ranks = calloc(n, sizeof *w.ranks);
    w.groups = calloc(n, sizeof *w.groups);
    w.reached = calloc(n, sizeof *w.reached);
    w.is_of_tree = calloc(evidence->pairs.count + 1, sizeof *w.is_of_tree);
    w.up = calloc(n, sizeof *w.up);
    w.down = calloc(n, sizeof *w.down);
    enum tm_status st = network->nodes && w.ranks && w.groups && w.reached && w.is_of_tree && w.up && w.down
                            ? TM_OK
                            : tm_error_nomem(err);
    for (uint32_t i = 0; i < nodes->count && st == TM_OK; i++) {
        uint32_t file = nodes->nodes[i].file;
        w.ranks[i] = (uint64_t)(file < catalog->file_count ? catalog->files[file].processing_order : 0) << 32 | i;
        network->nodes[i] = (struct tm_network_node){.reference = i};
        for (int which = 0; which < TM_NETWORK_READINGS; which++) {
            network->nodes[i].low_ns[which] = TM_UNBOUNDED_LOW;
            network->nodes[i].high_ns[which] = TM_UNBOUNDED_HIGH;
        }
    }
    if (st == TM_OK)
        st = find_all(&w);
    free(w.ranks);
    free(w.groups);
    free(w.reached);
    free(w.is_of_tree);
    free(w.up);
    free(w.down);
    return st;
}

void tm_network_release(struct tm_network *network)
{
    free(network->nodes);
    free(network->cycles);
    *network = (struct tm_network){0};
}
