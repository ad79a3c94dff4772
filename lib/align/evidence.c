#include "align/evidence.h"

#include <stdlib.h>
#include <string.h>

/* So few samples suffice to find the order of arrival. */
enum { ROUGH_SAMPLES = 512 };

/* A corridor of 13 days is as good as none. */
#define WIDTH_MAX (INT64_C(1) << 50)

static struct tm_node_event end_of(const struct tm_match_member *member)
{
    return (struct tm_node_event){member->node, member->end_ns};
}

/* Samples the ends of a collective, which are near each other. They give rough offsets, from which the order of arrival
 * follows. */
static enum tm_status sample_roughly(struct tm_pair_table *rough, const struct tm_match *match, struct tm_error *err)
{
    static const uint8_t orders[2] = {0, 0};
    enum tm_status st = TM_OK;
    if (match->form != TM_MATCH_COLLECTIVE)
        return TM_OK;
    for (uint32_t i = 1; i < match->count && st == TM_OK; i++)
        st = tm_pair_table_sample(rough, end_of(&match->members[0]), end_of(&match->members[i]), orders, err);
    return st;
}

/* Propagates rough lines over the pairs of ROUGH, from the nodes that are REACHED to the others. */
static void propagate_lines(struct tm_evidence *e, const struct tm_pair_table *rough, bool *reached)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < rough->count; i++) {
            const struct tm_pair *p = &rough->pairs[i];
            bool has_first = reached[p->first], has_second = reached[p->second];
            if (has_first == has_second)
                continue;
            uint32_t from = has_first ? p->second : p->first, to = has_first ? p->first : p->second;
            struct tm_line step = has_first ? tm_line_inverse(&p->trend.line) : p->trend.line;
            e->nodes[from].rough = tm_line_compose(&step, &e->nodes[to].rough);
            reached[from] = more = true;
        }
    }
}

static enum tm_status find_rough_lines(struct tm_evidence *e, struct tm_match_log *log, struct tm_error *err)
{
    struct tm_pair_table rough = {.samples_max = ROUGH_SAMPLES};
    struct tm_match match;
    enum tm_status st;
    bool *reached = calloc(e->node_count + 1, sizeof *reached);
    tm_match_log_rewind(log);
    st = reached ? TM_OK : tm_error_nomem(err);
    while (st == TM_OK && (st = tm_match_log_next(log, &match, err)) == TM_OK) {
        for (uint32_t i = 0; i < match.count; i++) {
            e->nodes[match.members[i].node].matches++;
            e->nodes[match.members[i].node].rules |= UINT32_C(1) << match.rule;
        }
        st = sample_roughly(&rough, &match, err);
    }
    st = st == TM_END ? TM_OK : st;
    for (uint32_t i = 0; i < rough.count && st == TM_OK; i++) {
        struct tm_pair *p = &rough.pairs[i];
        st = tm_trend_find(&p->trend, p->samples, p->sample_count, err);
    }
    for (uint32_t node = 0; node < e->node_count && st == TM_OK; node++)
        if (!reached[node]) {
            reached[node] = true;
            propagate_lines(e, &rough, reached);
        }
    free(reached);
    tm_pair_table_release(&rough);
    return st;
}

static int64_t roughly(const struct tm_evidence_node *nodes, uint32_t node, int64_t ns)
{
    return ns + tm_line_at(&nodes[node].rough, ns);
}

static enum tm_status order_both(const struct tm_match *m, uint32_t a, uint32_t b, tm_evidence_order *order,
                                 void *context)
{
    const struct tm_match_member *p = &m->members[a], *q = &m->members[b];
    enum tm_status st = order(context, p, p->begin_ns, q, q->end_ns);
    return st == TM_OK ? order(context, q, q->begin_ns, p, p->end_ns) : st;
}

static enum tm_status orders_of_collective(const struct tm_match *m, const struct tm_evidence_node *nodes,
                                           tm_evidence_order *order, void *context)
{
    enum tm_status st = TM_OK;
    uint32_t last = 0, first = 0, few = m->count <= TM_EVIDENCE_MEMBERS_MAX ? m->count : 1;
    for (uint32_t i = 0; i < few; i++)
        for (uint32_t j = i + 1; j < m->count && st == TM_OK; j++)
            st = order_both(m, i, j, order, context);
    if (few > 1)
        return st;
    for (uint32_t i = 1; i < m->count; i++) {
        const struct tm_match_member *p = &m->members[i], *l = &m->members[last], *f = &m->members[first];
        if (roughly(nodes, p->node, p->begin_ns) > roughly(nodes, l->node, l->begin_ns))
            last = i;
        if (roughly(nodes, p->node, p->end_ns) < roughly(nodes, f->node, f->end_ns))
            first = i;
    }
    return st == TM_OK && last != first && last != 0 && first != 0 ? order_both(m, last, first, order, context) : st;
}

enum tm_status tm_evidence_orders(const struct tm_match *m, const struct tm_evidence_node *nodes,
                                  tm_evidence_order *order, void *context)
{
    const struct tm_match_member *whole = &m->members[0];
    enum tm_status st = TM_OK;
    if (m->form == TM_MATCH_COLLECTIVE)
        return orders_of_collective(m, nodes, order, context);
    for (uint32_t i = 1; i < m->count && st == TM_OK; i++) {
        const struct tm_match_member *part = &m->members[i];
        switch (m->form) {
        case TM_MATCH_FLOW: st = order(context, whole, whole->begin_ns, part, part->begin_ns); break;
        case TM_MATCH_SEND: st = order(context, whole, whole->begin_ns, part, part->end_ns); break;
        case TM_MATCH_CALL:
        case TM_MATCH_LONGER:
            st = order(context, whole, whole->begin_ns, part, part->begin_ns);
            if (st == TM_OK)
                st = order(context, part, part->end_ns, whole, whole->end_ns);
            break;
        default: break;
        }
    }
    return st;
}

struct adding {
    struct tm_evidence *evidence;
    bool sifted;
    struct tm_error *err;
};

static enum tm_status add_order(void *context, const struct tm_match_member *cause, int64_t cause_ns,
                                const struct tm_match_member *effect, int64_t effect_ns)
{
    const struct adding *a = context;
    const struct tm_evidence_node *nodes = a->evidence->nodes;
    const struct tm_node_event earliest = {cause->node, cause_ns - nodes[cause->node].jitter_ns};
    const struct tm_evidence_node *late = &nodes[effect->node];
    const struct tm_node_event latest = {effect->node, effect_ns + late->truncated_ns + late->jitter_ns};
    return tm_pair_table_order(&a->evidence->pairs, earliest, latest, a->sifted, a->err);
}

/* Returns how many members of M began before member I. Many members are grouped into TM_TREND_ORDERS classes. */
static uint8_t order_of(const struct tm_match *m, const struct tm_evidence_node *nodes, uint32_t i)
{
    uint32_t before = 0;
    int64_t own = roughly(nodes, m->members[i].node, m->members[i].begin_ns);
    for (uint32_t k = 0; k < m->count; k++) {
        int64_t other = roughly(nodes, m->members[k].node, m->members[k].begin_ns);
        before += other < own || (other == own && k < i);
    }
    return (uint8_t)(m->count <= TM_TREND_ORDERS ? before : (uint64_t)before * TM_TREND_ORDERS / m->count);
}

static enum tm_status add_samples(struct tm_evidence *e, const struct tm_match *m, struct tm_error *err)
{
    bool ranked = m->form == TM_MATCH_COLLECTIVE;
    bool is_small = m->count <= TM_EVIDENCE_MEMBERS_MAX;
    uint32_t hubs = is_small ? m->count : 1;
    uint8_t orders[2] = {0, 0};
    enum tm_status st = TM_OK;
    if (!ranked && m->form != TM_MATCH_SAME)
        return TM_OK;
    for (uint32_t i = 0; i < hubs; i++) {
        orders[0] = ranked && is_small ? order_of(m, e->nodes, i) : 0;
        for (uint32_t j = i + 1; j < m->count && st == TM_OK; j++) {
            orders[1] = ranked && is_small ? order_of(m, e->nodes, j) : 0;
            st = tm_pair_table_sample(&e->pairs, end_of(&m->members[i]), end_of(&m->members[j]), orders, err);
        }
    }
    return st;
}

static enum tm_status read_log(struct tm_evidence *e, struct tm_match_log *log, bool sifted, struct tm_error *err)
{
    struct adding adding = {e, sifted, err};
    struct tm_match match;
    enum tm_status st = TM_OK;
    tm_match_log_rewind(log);
    while (st == TM_OK && (st = tm_match_log_next(log, &match, err)) == TM_OK) {
        st = tm_evidence_orders(&match, e->nodes, add_order, &adding);
        if (st == TM_OK && !sifted)
            st = add_samples(e, &match, err);
    }
    return st == TM_END ? TM_OK : st;
}

static bool find_corridor(struct tm_pair *p)
{
    tm_hull_settle(&p->above);
    tm_hull_settle(&p->below);
    return tm_corridor_find(&p->corridor, &p->above, &p->below);
}

/* For pairs whose constraints cannot all be true, keeps those that agree with the consensus. */
static enum tm_status sift(struct tm_evidence *e, struct tm_match_log *log, struct tm_error *err)
{
    bool any = false;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < e->pairs.count && st == TM_OK; i++) {
        struct tm_pair *p = &e->pairs.pairs[i];
        if (find_corridor(p))
            continue;
        st = tm_consensus_find(&p->consensus, p->constraints, p->constraint_count, err);
        p->is_sifted = any = true;
        tm_hull_clear(&p->above);
        tm_hull_clear(&p->below);
    }
    if (st == TM_OK && any)
        st = read_log(e, log, true, err);
    for (uint32_t i = 0; i < e->pairs.count && st == TM_OK && any; i++)
        if (e->pairs.pairs[i].is_sifted)
            (void)find_corridor(&e->pairs.pairs[i]);
    return st;
}

/* Sets the estimate of P: the middle of its corridor, or the trend of its samples if the corridor is wide. */
static enum tm_status estimate(struct tm_pair *p, struct tm_error *err)
{
    bool has_corridor = p->above.count > 0 && p->below.count > 0 && p->corridor.is_possible;
    if (p->consensus.count > 1)
        return TM_OK;
    if (has_corridor) {
        int64_t first = p->above.points[0].x, last = p->above.points[p->above.count - 1].x;
        p->estimate = tm_corridor_middle(&p->corridor, first + (last - first) / 2);
        p->has_estimate = true;
    }
    if (p->sample_count == 0)
        return TM_OK;
    if (tm_trend_find(&p->trend, p->samples, p->sample_count, err) < 0)
        return err->status;
    int64_t at = p->trend.line.at_ns, deviation = p->trend.deviation_ns;
    tm_i128 width = has_corridor ? (tm_i128)tm_corridor_high(&p->corridor, at) - tm_corridor_low(&p->corridor, at) : 0;
    width = tm_clamp(width, WIDTH_MAX);
    if (!has_corridor || (tm_i128)deviation * deviation * 16 < width * width * p->sample_count) {
        p->estimate = p->trend.line;
        p->is_trend = true;
    }
    p->has_estimate = true;
    return TM_OK;
}

/* True if P has an estimate and constraints of both kinds. */
static bool is_bounded(const struct tm_pair *p)
{
    return p->has_estimate && p->above.count > 0 && p->below.count > 0;
}

/* Returns the constraints of P. With a trend, those disagree that it violates by more than chance: the ends of matches
 * do not always follow it. If many disagree, the trend is off everywhere, which says nothing about the drift. */
static struct tm_local_constraints judged(const struct tm_pair *p)
{
    enum { DEVIATIONS = 8, MANY_PART = 10 };
    struct tm_local_constraints c = tm_pair_constraints(p);
    if (!p->is_trend || p->is_sifted)
        return c;
    c.tolerance_ns = tm_clamp((tm_i128)p->trend.deviation_ns * DEVIATIONS + 1, TM_OFFSET_MAX);
    if (tm_local_disagreeing(&c) > c.count / MANY_PART)
        c.tolerance_ns = 0;
    return c;
}

/* Tests P in the order of the second file's readings. */
static enum tm_status test_turned(struct tm_pair *p)
{
    struct tm_local_constraints c = tm_pair_constraints(p);
    struct tm_constraint *copy;
    if (tm_local_turn(&c, &copy) < 0)
        return TM_E_SYSTEM;
    p->is_uneven = tm_local_has_supported_violation(&c);
    free(copy);
    return TM_OK;
}

/* Finds the band of P for the times of its first file, by the order of both files' readings. */
static enum tm_status find_band(struct tm_pair *p, const struct tm_align_node *times, struct tm_error *err)
{
    struct tm_local_constraints c = judged(p);
    struct tm_constraint *copy;
    p->is_uneven = true;
    p->band = tm_local_band(&c, times->first_ns, times->last_ns);
    if (!p->is_sifted)
        return TM_OK;
    if (tm_local_turn(&c, &copy) < 0)
        return tm_error_nomem(err);
    const struct tm_band turned = tm_local_band(&c, times->first_ns, times->last_ns);
    p->band.low_ns = turned.low_ns < p->band.low_ns ? turned.low_ns : p->band.low_ns;
    p->band.high_ns = turned.high_ns > p->band.high_ns ? turned.high_ns : p->band.high_ns;
    free(copy);
    return TM_OK;
}

/* Bounds the offset of P near each time, and tests whether its clocks drift evenly. */
static enum tm_status bound_locally(struct tm_pair *p, struct tm_error *err)
{
    if (p->consensus.count > 1 || p->constraint_count == 0 || !p->corridor.is_possible)
        return TM_OK;
    tm_constraints_sort(p->constraints, p->constraint_count);
    const struct tm_local_constraints c = tm_pair_constraints(p), by_trend = judged(p);
    p->is_testable = tm_local_is_testable(&c);
    p->is_uneven = is_bounded(p) && tm_local_is_uneven(&by_trend);
    if (is_bounded(p) && p->is_sifted && !p->is_uneven && test_turned(p) < 0)
        return tm_error_nomem(err);
    return tm_local_parts_make(&p->local, &c) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Finds the file that is in the most uneven pairs of which neither file is known to be uneven. Of several it is the
 * last. COUNTS has room for all nodes. False if no such pair is left. */
static bool find_next_uneven(const struct tm_evidence *e, uint32_t *counts, uint32_t *worst)
{
    bool any = false;
    memset(counts, 0, e->node_count * sizeof *counts);
    for (uint32_t i = 0; i < e->pairs.count; i++) {
        const struct tm_pair *p = &e->pairs.pairs[i];
        if (!p->is_uneven || e->nodes[p->first].is_uneven || e->nodes[p->second].is_uneven)
            continue;
        any = true;
        counts[p->first]++;
        counts[p->second]++;
    }
    *worst = 0;
    for (uint32_t i = 1; i < e->node_count; i++)
        *worst = counts[i] >= counts[*worst] ? i : *worst;
    return any;
}

/* Finds the pairs and the files whose clocks do not drift evenly. All pairs of such a file are bounded by bands, also
 * those with too few matches to show it. */
static enum tm_status find_uneven(struct tm_evidence *e, const struct tm_align_nodes *nodes, struct tm_error *err)
{
    uint32_t *counts = calloc(e->node_count + 1, sizeof *counts), worst;
    enum tm_status st = counts ? TM_OK : tm_error_nomem(err);
    for (uint32_t i = 0; i < e->pairs.count && st == TM_OK; i++)
        st = bound_locally(&e->pairs.pairs[i], err);
    while (st == TM_OK && find_next_uneven(e, counts, &worst))
        e->nodes[worst].is_uneven = true;
    for (uint32_t i = 0; i < e->pairs.count && st == TM_OK; i++) {
        struct tm_pair *p = &e->pairs.pairs[i];
        bool is_odd = e->nodes[p->first].is_uneven || e->nodes[p->second].is_uneven;
        if (is_odd && is_bounded(p) && p->consensus.count < 2)
            st = find_band(p, &nodes->nodes[p->first], err);
    }
    free(counts);
    return st;
}

enum tm_status tm_evidence_find(struct tm_evidence *e, const struct tm_align_nodes *nodes, struct tm_match_log *log,
                                struct tm_error *err)
{
    e->node_count = nodes->count;
    e->nodes = calloc(e->node_count + 1, sizeof *e->nodes);
    enum tm_status st = e->nodes ? TM_OK : tm_error_nomem(err);
    for (uint32_t i = 0; i < e->node_count && st == TM_OK; i++) {
        e->nodes[i].truncated_ns = tm_align_node_grain(&nodes->nodes[i]) - 1;
        e->nodes[i].jitter_ns = nodes->nodes[i].jitter_ns;
    }
    if (st == TM_OK)
        st = find_rough_lines(e, log, err);
    if (st == TM_OK)
        st = read_log(e, log, false, err);
    if (st == TM_OK)
        st = sift(e, log, err);
    for (uint32_t i = 0; i < e->pairs.count && st == TM_OK; i++)
        st = estimate(&e->pairs.pairs[i], err);
    return st == TM_OK ? find_uneven(e, nodes, err) : st;
}

void tm_evidence_release(struct tm_evidence *e)
{
    tm_pair_table_release(&e->pairs);
    free(e->nodes);
    *e = (struct tm_evidence){0};
}
