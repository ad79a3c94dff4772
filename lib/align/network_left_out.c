/* Which pairs are left out because their matches are probably wrong. */
#include "align/network_work.h"

#include <stdlib.h>

/* Beside pairs that contradict it, a pair with this many times the constraints of the weakest one is credible. A few
 * matches agree with each other by chance, as of ids that two programs counted alike; many do not. */
enum { CREDIBLE_TIMES = 4 };

/* Fewer constraints agree with each other by chance: those of u and l random matches in the two directions with the
 * probability u! l! / (u + l)!. */
enum { CHANCE_MAX = 8 };

static uint64_t constraints_of(const struct tm_network_work *w, const struct tm_bound *b)
{
    return tm_pair_constraint_total(&w->evidence->pairs.pairs[b->pair]);
}

static void mark_left_out(const struct tm_network_work *w, uint32_t pair)
{
    w->network->left_out_count += !w->network->is_left_out[pair];
    w->network->is_left_out[pair] = true;
}

/* Leaves out the pairs of the negative cycle that are not credible beside the others of it. False if all are equally
 * credible. *MOST becomes the largest number of constraints of a pair of the cycle. */
static bool leave_out_of_cycle(const struct tm_network_work *w, const struct tm_bound *bounds, uint64_t *most)
{
    const struct tm_bound_paths *paths = w->paths;
    uint64_t least = UINT64_MAX;
    *most = 0;
    for (uint32_t i = 0; i < paths->cycle_count; i++) {
        const uint64_t n = constraints_of(w, &bounds[paths->cycle[i]]);
        least = n < least ? n : least;
        *most = n > *most ? n : *most;
    }
    for (uint32_t i = 0; i < paths->cycle_count && *most / CREDIBLE_TIMES >= least; i++)
        if (constraints_of(w, &bounds[paths->cycle[i]]) / CREDIBLE_TIMES < least)
            mark_left_out(w, bounds[paths->cycle[i]].pair);
    return *most / CREDIBLE_TIMES >= least;
}

/* Moves the bounds of pairs that are credible beside a pair of MOST constraints to the front. Returns how many. */
static uint32_t move_credible(const struct tm_network_work *w, struct tm_bound *bounds, uint32_t count, uint64_t most)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tm_bound b = bounds[i];
        if (constraints_of(w, &b) / CREDIBLE_TIMES < most)
            continue;
        bounds[i] = bounds[n];
        bounds[n++] = b;
    }
    return n;
}

/* True if the extremes that were found exclude B. */
static bool is_excluded(const struct tm_bound_paths *p, const struct tm_bound *b)
{
    return b->low > p->up[b->second] + p->down[b->first] || b->high < -p->down[b->second] - p->up[b->first];
}

bool tm_network_leave_out(const struct tm_network_work *w, uint32_t group, struct tm_bound *bounds, uint32_t count)
{
    const uint32_t before = w->network->left_out_count;
    uint32_t credible = count;
    uint64_t most;
    do {
        if (leave_out_of_cycle(w, bounds, &most))
            return true;
        credible = move_credible(w, bounds, credible, most);
    } while (!tm_bound_paths_find(w->paths, group, bounds, credible));
    for (uint32_t i = credible; i < count; i++)
        if (is_excluded(w->paths, &bounds[i]))
            mark_left_out(w, bounds[i].pair);
    return w->network->left_out_count != before;
}

enum tm_status tm_network_leave_out_few(const struct tm_network_work *w)
{
    const struct tm_pair_table *pairs = &w->evidence->pairs;
    uint64_t *most = calloc((size_t)w->nodes->count + 1, sizeof *most); /* of a pair that is of no use, by node */
    if (most == NULL)
        return tm_error_nomem(w->err);
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        const uint64_t n = tm_network_is_usable(w, p) ? 0 : tm_pair_constraint_total(p);
        most[p->first] = n > most[p->first] ? n : most[p->first];
        most[p->second] = n > most[p->second] ? n : most[p->second];
    }
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        const uint64_t n = tm_pair_constraint_total(p);
        const uint64_t other = most[p->first] > most[p->second] ? most[p->first] : most[p->second];
        if (n > 0 && n < CHANCE_MAX && other / CREDIBLE_TIMES >= n && tm_network_is_usable(w, p))
            mark_left_out(w, i);
    }
    free(most);
    return TM_OK;
}
