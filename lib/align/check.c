#include "align/alignment.h"

#include "base/checked.h"

#include <stdlib.h>

struct work {
    struct tm_alignment *alignment;
    struct tm_table index;
    uint32_t cap;
    struct tm_error *err;
};

static struct tm_align_breach *breach_of(struct work *w, uint32_t cause, uint32_t effect)
{
    struct tm_alignment *a = w->alignment;
    const struct tm_key key = {cause, effect, 0};
    int64_t at = tm_table_find(&w->index, &key);
    if (at != TM_TABLE_NONE)
        return &a->breaches[at];
    if (tm_array_grow(&a->breaches, &w->cap, a->breach_count, sizeof *a->breaches, w->err) < 0 ||
        tm_table_set(&w->index, &key, a->breach_count, w->err) < 0)
        return NULL;
    struct tm_align_breach *b = &a->breaches[a->breach_count++];
    *b = (struct tm_align_breach){.cause = a->candidates.nodes.nodes[cause].file,
                                  .effect = a->candidates.nodes.nodes[effect].file};
    return b;
}

/* Keeps the first three by the time of the effect. */
static void store_breach(struct tm_align_breach *b, const struct tm_match_member *cause, int64_t cause_ns,
                         const struct tm_match_member *effect, int64_t effect_ns)
{
    uint32_t at = b->first_count;
    if (at == 3 && effect_ns >= b->first[2].effect_ns)
        return;
    at = at == 3 ? 2 : at;
    b->first_count = at + 1;
    for (; at > 0 && b->first[at - 1].effect_ns > effect_ns; at--)
        b->first[at] = b->first[at - 1];
    b->first[at].cause_name = cause->name;
    b->first[at].effect_name = effect->name;
    b->first[at].cause_ns = cause_ns;
    b->first[at].effect_ns = effect_ns;
}

/* Counts a constraint, and a breach if the effect is too early. The granularity of its clock may make an effect
 * early. */
static enum tm_status test(void *context, const struct tm_match_member *cause, int64_t cause_ns,
                           const struct tm_match_member *effect, int64_t effect_ns)
{
    struct work *w = context;
    struct tm_align_breach *b = breach_of(w, cause->node, effect->node);
    if (b == NULL)
        return w->err->status;
    b->constraints++;
    int64_t early = effect_ns < cause_ns ? tm_sub_saturate_i64(cause_ns, effect_ns) : 0;
    if (early <= w->alignment->evidence.nodes[effect->node].truncated_ns)
        return TM_OK;
    b->count++;
    b->worst_ns = early > b->worst_ns ? early : b->worst_ns;
    store_breach(b, cause, cause_ns, effect, effect_ns);
    return TM_OK;
}

static int by_files(const void *x, const void *y)
{
    const struct tm_align_breach *p = x, *q = y;
    if (p->cause != q->cause)
        return p->cause < q->cause ? -1 : 1;
    return p->effect < q->effect ? -1 : p->effect > q->effect;
}

enum tm_status tm_alignment_check(struct tm_alignment *a, struct tm_error *err)
{
    struct work w = {.alignment = a, .err = err};
    struct tm_match match;
    enum tm_status st = TM_OK;
    tm_match_log_rewind(&a->log);
    while (st == TM_OK && (st = tm_match_log_next(&a->log, &match, err)) == TM_OK)
        st = tm_evidence_orders(&match, a->evidence.nodes, test, &w);
    tm_table_release(&w.index);
    if (a->breach_count > 0)
        qsort(a->breaches, a->breach_count, sizeof *a->breaches, by_files);
    return st == TM_END ? TM_OK : st;
}
