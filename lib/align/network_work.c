#include "align/network_work.h"

/* Constraints are contradictory if more than one in this many disagrees with the others. */
enum { CONTRADICTION_PART = 10 };

bool tm_network_is_contradictory(const struct tm_network_work *w, const struct tm_pair *p)
{
    return w->network->is_left_out[p - w->evidence->pairs.pairs] ||
           (p->is_sifted && p->consensus.count < 2 && p->left_out * CONTRADICTION_PART > tm_pair_constraint_total(p));
}

bool tm_network_is_stepped(const struct tm_pair *p)
{
    return p->is_sifted && p->consensus.count > 1;
}

bool tm_network_is_usable(const struct tm_network_work *w, const struct tm_pair *p)
{
    const struct tm_network_node *n = w->network->nodes;
    return !tm_network_is_stepped(p) && !tm_network_is_contradictory(w, p) &&
           n[p->first].verdict != TM_VERDICT_STEPPED && n[p->second].verdict != TM_VERDICT_STEPPED &&
           (p->above.count || p->below.count || p->has_estimate);
}

uint32_t tm_network_group(const struct tm_network_work *w, uint32_t node)
{
    while (w->groups[node] != node)
        node = w->groups[node] = w->groups[w->groups[node]];
    return node;
}

int64_t tm_network_reading_at(const struct tm_network_work *w, uint32_t node, int64_t tau)
{
    const struct tm_line *line = &w->network->nodes[node].line;
    int64_t t = tm_clamp((tm_i128)tau - line->offset_ns, INT64_MAX);
    for (int i = 0; i < 4; i++)
        t = tm_clamp((tm_i128)tau - tm_line_at(line, t), INT64_MAX);
    return t;
}

tm_i128 tm_network_error_at(const struct tm_network_work *w, const struct tm_pair *p, int64_t x, int64_t tau, int64_t z)
{
    tm_i128 other = (tm_i128)x + z;
    if (other > INT64_MAX || other < INT64_MIN)
        return z > 0 ? TM_BOUND_FAR : -TM_BOUND_FAR;
    return other + tm_line_at(&w->network->nodes[p->second].line, (int64_t)other) - tau;
}

void tm_network_find_range(const struct tm_network_work *w, uint32_t group, int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (uint32_t i = 0; i < w->nodes->count; i++) {
        if (tm_network_group(w, i) != group)
            continue;
        const struct tm_align_node *node = &w->nodes->nodes[i];
        int64_t a = node->first_ns + tm_line_at(&w->network->nodes[i].line, node->first_ns);
        int64_t b = node->last_ns + tm_line_at(&w->network->nodes[i].line, node->last_ns);
        *first = a < *first ? a : *first;
        *last = b > *last ? b : *last;
    }
}
