#include "align/network_work.h"

#include "base/table.h"

#include <stdlib.h>

enum { SWEEPS = 300 };

/* Unites the groups of A and B. The root of a group is its first file. */
static void unite(const struct tm_network_work *w, uint32_t a, uint32_t b)
{
    a = tm_network_group(w, a);
    b = tm_network_group(w, b);
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
static bool is_likelier_set(const struct tm_network_work *w, const struct pair_counts *s, uint32_t a, uint32_t b)
{
    if (s[a].stepped != s[b].stepped)
        return s[a].stepped > s[b].stepped;
    return s[a].straight != s[b].straight ? s[a].straight < s[b].straight : w->ranks[a] > w->ranks[b];
}

/* Finds the files whose clocks were set. The next one is the file in the most pairs with steps. Among several it is the
 * one in the fewest pairs with a line, and among those the last. S has room for all nodes. */
static void find_stepped(const struct tm_network_work *w, struct pair_counts *s)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (;;) {
        uint32_t worst = 0;
        memset(s, 0, w->nodes->count * sizeof *s);
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            bool is_known = w->network->nodes[p->first].stepped || w->network->nodes[p->second].stepped;
            uint32_t steps = tm_network_is_stepped(p) && !is_known;
            uint32_t lines = !tm_network_is_stepped(p) && !tm_network_is_contradictory(w, p) && p->has_estimate;
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
            if ((p->first != worst && p->second != worst) || !tm_network_is_stepped(p) ||
                w->network->nodes[other].stepped)
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
static uint32_t list_estimates(const struct tm_network_work *w, struct exact_pair *list)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    uint32_t n = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        const struct tm_align_node *times = &w->nodes->nodes[p->first];
        if (!tm_network_is_usable(w, p) || !p->has_estimate)
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
static enum tm_status find_groups(const struct tm_network_work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct exact_pair *list = malloc((pairs->count + 1) * sizeof *list);
    if (list == NULL)
        return tm_error_nomem(w->err);
    for (uint32_t i = 0; i < w->nodes->count; i++)
        w->groups[i] = i;
    memset(w->reached, 0, w->nodes->count * sizeof *w->reached);
    memset(w->is_of_tree, 0, pairs->count * sizeof *w->is_of_tree);
    const uint32_t count = list_estimates(w, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_pair *p = &pairs->pairs[list[i].pair];
        w->is_of_tree[list[i].pair] = tm_network_group(w, p->first) != tm_network_group(w, p->second);
        if (w->is_of_tree[list[i].pair])
            unite(w, p->first, p->second);
    }
    free(list);
    for (uint32_t i = 0; i < pairs->count; i++) { /* reached: the root of a group with estimates */
        const uint32_t first = pairs->pairs[i].first, second = pairs->pairs[i].second;
        w->reached[tm_network_group(w, first)] |= tm_network_group(w, first) != first;
        w->reached[tm_network_group(w, second)] |= tm_network_group(w, second) != second;
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        uint32_t a = tm_network_group(w, p->first), b = tm_network_group(w, p->second);
        bool has_lines = w->reached[a] || w->reached[b];
        if (tm_network_is_usable(w, p) && a != b && (!w->reached[a] || !w->reached[b])) {
            unite(w, a, b);
            w->reached[tm_network_group(w, a)] = has_lines;
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
static void propagate_lines(const struct tm_network_work *w, bool only_estimates)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            if (!tm_network_is_usable(w, p) || w->reached[p->first] == w->reached[p->second] ||
                (only_estimates && !w->is_of_tree[i]) ||
                tm_network_group(w, p->first) != tm_network_group(w, p->second))
                continue;
            uint32_t to = w->reached[p->first] ? p->first : p->second, from = to == p->first ? p->second : p->first;
            struct tm_line z = line_of(p), step = to == p->first ? tm_line_inverse(&z) : z;
            w->network->nodes[from].line = tm_line_compose(&step, &w->network->nodes[to].line);
            w->reached[from] = more = true;
        }
    }
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

static void find_pulls(const struct tm_network_work *w, uint32_t group, int64_t tau, struct pulls *pulls)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    pulls->count = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!tm_network_is_usable(w, p) || !p->has_estimate || tm_network_group(w, p->first) != group)
            continue;
        int64_t x = tm_network_reading_at(w, p->first, tau);
        tm_i128 error = tm_network_error_at(w, p, x, tau, tm_line_at(&p->estimate, x));
        pulls->pulls[pulls->count++] =
            (struct pull){p->first, p->second, tm_clamp(error, PULL_MAX), weight_of(p, x)};
    }
}

/* True if P has enough matches to close a cycle. */
static bool has_cycle_evidence(const struct tm_pair *p)
{
    return p->samples_seen >= MATCHES_MIN || (p->seen[0] >= MATCHES_MIN && p->seen[1] >= MATCHES_MIN);
}

/* Notes the cycles of GROUP. The lines must still be those of the tree. */
static enum tm_status note_cycles(const struct tm_network_work *w, uint32_t group)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct tm_network *network = w->network;
    int64_t first, last;
    tm_network_find_range(w, group, &first, &last);
    int64_t tau = (int64_t)((tm_i128)first + ((tm_i128)last - first) / 2);
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!tm_network_is_usable(w, p) || !p->has_estimate || w->is_of_tree[i] ||
            tm_network_group(w, p->first) != group ||
            !has_cycle_evidence(p))
            continue;
        if (tm_array_grow(&network->cycles, &network->cycle_cap, network->cycle_count, sizeof *network->cycles,
                          w->err) < 0)
            return w->err->status;
        int64_t x = tm_network_reading_at(w, p->first, tau);
        tm_i128 error = tm_network_error_at(w, p, x, tau, tm_line_at(&p->estimate, x));
        network->cycles[network->cycle_count++] =
            (struct tm_network_cycle){p->first, p->second, tm_clamp(error, TM_OFFSET_MAX)};
    }
    return TM_OK;
}

/* Solves least squares over PULLS. The caller subtracts CHANGES from the lines. SCRATCH has room for all nodes. */
static void relax(const struct tm_network_work *w, uint32_t group, const struct pulls *pulls, int64_t *changes,
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

static enum tm_status fit_group(const struct tm_network_work *w, uint32_t group)
{
    uint32_t n = w->nodes->count;
    int64_t first, last;
    int64_t *before = malloc(n * sizeof *before), *after = malloc(n * sizeof *after);
    struct weighted_sums scratch = {malloc(n * sizeof *scratch.sums), malloc(n * sizeof *scratch.weights)};
    struct pulls pulls = {malloc((w->evidence->pairs.count + 1) * sizeof *pulls.pulls), 0};
    enum tm_status st = before && after && scratch.sums && scratch.weights && pulls.pulls ? TM_OK
                                                                                          : tm_error_nomem(w->err);
    tm_network_find_range(w, group, &first, &last);
    if (st == TM_OK) {
        find_pulls(w, group, first, &pulls);
        relax(w, group, &pulls, before, scratch);
        find_pulls(w, group, last, &pulls);
        relax(w, group, &pulls, after, scratch);
    }
    for (uint32_t i = 0; i < n && st == TM_OK; i++) {
        struct tm_line *line = &w->network->nodes[i].line;
        if (tm_network_group(w, i) != group || i == group)
            continue;
        int64_t x1 = tm_network_reading_at(w, i, first), x2 = tm_network_reading_at(w, i, last);
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
static void put_inside(const struct tm_network_work *w, uint32_t node)
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

static enum tm_verdict verdict_of(const struct tm_network_work *w, uint32_t node, bool estimated)
{
    const struct tm_network_node *n = &w->network->nodes[node];
    bool low = n->low_ns[TM_NETWORK_MIDDLE] != TM_UNBOUNDED_LOW;
    bool high = n->high_ns[TM_NETWORK_MIDDLE] != TM_UNBOUNDED_HIGH;
    if (estimated)
        return TM_VERDICT_ALIGNED;
    return low && high ? TM_VERDICT_ALIGNED : low || high ? TM_VERDICT_ONE_SIDED : TM_VERDICT_NONE;
}

/* Notes which files of GROUP were tested for even drift: those that tested pairs relate to the reference. */
static void note_evenness(const struct tm_network_work *w, uint32_t group)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    struct tm_network_node *nodes = w->network->nodes;
    nodes[group].is_tested = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++) {
            const struct tm_pair *p = &pairs->pairs[i];
            if (!tm_network_is_usable(w, p) || !p->is_testable || tm_network_group(w, p->first) != group ||
                nodes[p->first].is_tested == nodes[p->second].is_tested)
                continue;
            nodes[p->first].is_tested = nodes[p->second].is_tested = more = true;
        }
    }
    for (uint32_t i = 0; i < w->nodes->count; i++)
        if (tm_network_group(w, i) == group && i != group)
            nodes[i].is_uneven = w->evidence->nodes[i].is_uneven || w->evidence->nodes[group].is_uneven;
}

static enum tm_status solve_group(const struct tm_network_work *w, uint32_t group, bool *estimated)
{
    uint32_t n = w->nodes->count;
    w->network->nodes[group].line = (struct tm_line){w->nodes->nodes[group].first_ns, 0, 0};
    w->reached[group] = true;
    propagate_lines(w, true);
    for (uint32_t i = 0; i < n; i++)
        estimated[i] = w->reached[i];
    enum tm_status st = note_cycles(w, group);
    propagate_lines(w, false);
    if (st == TM_OK)
        st = fit_group(w, group);
    const bool fits = st == TM_OK && tm_network_bound(w, group);
    for (uint32_t i = 0; i < n && st == TM_OK; i++) {
        struct tm_network_node *node = &w->network->nodes[i];
        if (tm_network_group(w, i) != group)
            continue;
        node->reference = group;
        node->verdict = i == group ? TM_VERDICT_REFERENCE
                        : fits     ? verdict_of(w, i, estimated[i])
                                   : TM_VERDICT_CONTRADICTORY;
        if (fits && node->verdict == TM_VERDICT_ALIGNED)
            put_inside(w, i);
    }
    note_evenness(w, group);
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
static void bound_against(const struct tm_network_work *w, uint32_t node, const struct tm_pair *p)
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
static bool judge_by(const struct tm_network_work *w, const struct tm_pair *p)
{
    bool first = w->network->nodes[p->first].verdict == TM_VERDICT_NONE;
    uint32_t node = first ? p->first : p->second, other = first ? p->second : p->first;
    struct tm_network_node *n = &w->network->nodes[node];
    enum tm_verdict beside = w->network->nodes[other].verdict;
    if (n->verdict != TM_VERDICT_NONE || beside == TM_VERDICT_NONE)
        return false;
    if (tm_network_is_stepped(p) && beside == TM_VERDICT_STEPPED && w->network->nodes[other].reference != node) {
        n->verdict = TM_VERDICT_STEPPED;
        n->reference = other;
        n->stepped = p;
    } else if (tm_network_is_usable(w, p) && (p->above.count > 0) != (p->below.count > 0)) {
        bound_against(w, node, p);
    }
    return n->verdict != TM_VERDICT_NONE;
}

/* Judges files that are related only through others that have no line to the reference. */
static void judge_indirect(const struct tm_network_work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < pairs->count; i++)
            more |= judge_by(w, &pairs->pairs[i]);
    }
}

/* Judges files that have no line because of contradictory pairs. Counts the constraints that were left out. */
static void judge_rest(const struct tm_network_work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        struct tm_network_node *a = &w->network->nodes[p->first], *b = &w->network->nodes[p->second];
        const uint64_t left_out = w->network->is_left_out[i] ? tm_pair_constraint_total(p) : p->left_out;
        a->left_out += a->verdict == TM_VERDICT_STEPPED ? 0 : left_out;
        b->left_out += b->verdict == TM_VERDICT_STEPPED ? 0 : left_out;
        if (tm_network_is_contradictory(w, p) && a->verdict == TM_VERDICT_NONE && b->verdict == TM_VERDICT_NONE) {
            bool first = w->ranks[p->first] < w->ranks[p->second];
            (first ? a : b)->verdict = TM_VERDICT_REFERENCE;
            (first ? b : a)->verdict = TM_VERDICT_CONTRADICTORY;
            (first ? b : a)->reference = first ? p->first : p->second;
        } else if (tm_network_is_contradictory(w, p)) {
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

/* Takes back all results but the steps. */
static void reset_nodes(const struct tm_network_work *w)
{
    for (uint32_t i = 0; i < w->nodes->count; i++) {
        struct tm_network_node *n = &w->network->nodes[i];
        if (n->verdict != TM_VERDICT_STEPPED)
            *n = (struct tm_network_node){.reference = i};
        for (int which = 0; which < TM_NETWORK_READINGS; which++) {
            n->low_ns[which] = TM_UNBOUNDED_LOW;
            n->high_ns[which] = TM_UNBOUNDED_HIGH;
        }
    }
}

/* Finds the groups and solves each. Ends early if pairs are left out. SIZES and ESTIMATED have room for all nodes. */
static enum tm_status solve_groups(const struct tm_network_work *w, uint32_t *sizes, bool *estimated)
{
    const uint32_t n = w->nodes->count, left_out = w->network->left_out_count;
    w->network->cycle_count = 0;
    reset_nodes(w);
    enum tm_status st = find_groups(w);
    memset(sizes, 0, n * sizeof *sizes);
    for (uint32_t i = 0; i < n && st == TM_OK; i++)
        sizes[tm_network_group(w, i)]++;
    for (uint32_t i = 0; i < n && st == TM_OK && w->network->left_out_count == left_out; i++)
        if (sizes[i] > 1)
            st = solve_group(w, i, estimated);
    return st;
}

static enum tm_status find_all(const struct tm_network_work *w)
{
    uint32_t n = w->nodes->count, left_out;
    uint32_t *sizes = calloc(n + 1, sizeof *sizes);
    struct pair_counts *counts = calloc(n + 1, sizeof *counts);
    bool *estimated = calloc(n + 1, sizeof *estimated);
    enum tm_status st = sizes && counts && estimated ? TM_OK : tm_error_nomem(w->err);
    if (st == TM_OK) {
        find_stepped(w, counts);
        st = tm_network_leave_out_few(w);
    }
    do {
        left_out = w->network->left_out_count;
        if (st == TM_OK)
            st = solve_groups(w, sizes, estimated);
    } while (st == TM_OK && w->network->left_out_count != left_out);
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
    uint32_t n = nodes->count + 1, pairs = evidence->pairs.count + 1;
    struct tm_bound_paths paths;
    struct tm_network_work w = {
        .network = network, .evidence = evidence, .nodes = nodes, .err = err, .paths = &paths};
    network->nodes = calloc(n, sizeof *network->nodes);
    network->is_left_out = calloc(pairs, sizeof *network->is_left_out);
    w.ranks = calloc(n, sizeof *w.ranks);
    w.groups = calloc(n, sizeof *w.groups);
    w.reached = calloc(n, sizeof *w.reached);
    w.is_of_tree = calloc(pairs, sizeof *w.is_of_tree);
    const bool has_paths = tm_bound_paths_init(&paths, nodes->count);
    enum tm_status st = network->nodes && network->is_left_out && w.ranks && w.groups && w.reached && w.is_of_tree &&
                                has_paths
                            ? TM_OK
                            : tm_error_nomem(err);
    for (uint32_t i = 0; i < nodes->count && st == TM_OK; i++) {
        uint32_t file = nodes->nodes[i].file;
        w.ranks[i] = (uint64_t)(file < catalog->file_count ? catalog->files[file].processing_order : 0) << 32 | i;
        network->nodes[i].reference = i;
    }
    if (st == TM_OK)
        st = find_all(&w);
    free(w.ranks);
    free(w.groups);
    free(w.reached);
    free(w.is_of_tree);
    tm_bound_paths_release(&paths);
    return st;
}

void tm_network_release(struct tm_network *network)
{
    free(network->nodes);
    free(network->cycles);
    free(network->is_left_out);
    *network = (struct tm_network){0};
}
