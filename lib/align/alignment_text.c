#include "align/alignment.h"
#include "align/duration.h"

#include "base/decimal.h"
#include "base/text.h"

#include <inttypes.h>

/* A smaller granularity is not reported: one of a microsecond is usual, and delays cause more uncertainty. */
enum { GRAIN_SHOWN_MIN_NS = 2000 };

static void put_seconds(struct tm_buf *out, int64_t ns)
{
    char digits[TM_DECIMAL_TEXT_MAX];
    digits[tm_decimal_format(ns, 9, digits)] = '\0';
    (void)tm_buf_addf(out, "%s s", digits);
}

static void put_bounds(struct tm_buf *out, const struct tm_align_file *f)
{
    if (f->low_ns == TM_UNBOUNDED_LOW && f->high_ns == TM_UNBOUNDED_HIGH) {
        (void)tm_buf_add_str(out, f->is_uneven ? "  certain bounds: none; its clock or that of the reference does not "
                                                 "drift evenly, and the matches are too few to bound it\n"
                                               : "  certain bounds: none; it is assumed that matched events are near "
                                                 "each other\n");
        return;
    }
    (void)tm_buf_add_str(out, "  certain bounds there: ");
    if (f->low_ns == TM_UNBOUNDED_LOW)
        (void)tm_buf_add_str(out, "none");
    else
        tm_align_put_ns(out, f->low_ns, true);
    (void)tm_buf_add_str(out, " to ");
    if (f->high_ns == TM_UNBOUNDED_HIGH)
        (void)tm_buf_add_str(out, "none");
    else
        tm_align_put_ns(out, f->high_ns, true);
    (void)tm_buf_add_str(out, "\n");
    if (f->has_uncertainty) {
        (void)tm_buf_add_str(out, "  from its first to its last reading, the true offset is within ");
        tm_align_put_ns(out, f->uncertainty_ns, false);
        (void)tm_buf_add_str(out, " of this line\n");
        if (f->is_uneven)
            (void)tm_buf_add_str(out, "  its clock or that of the reference does not drift evenly; the line is between "
                                      "what it did, and the bounds allow for that\n");
        else if (f->is_untested)
            (void)tm_buf_add_str(out, "  the bounds hold if both clocks drift evenly; the matches are too few to test "
                                      "that\n");
    }
}

static void put_line(struct tm_buf *out, const struct tm_align_file *f)
{
    (void)tm_buf_add_str(out, "  offset ");
    tm_align_put_ns(out, f->offset_ns, true);
    (void)tm_buf_add_str(out, " at ");
    put_seconds(out, f->at_ns);
    (void)tm_buf_addf(out, ", drift %+" PRId64 " ppb\n", f->drift_ppb);
}

static void put_steps(struct tm_buf *out, const struct tm_align_file *f)
{
    (void)tm_buf_add_str(out, "  no line fits; its clock was set\n");
    for (uint32_t i = 1; i < f->step_count; i++) {
        int64_t at = f->steps[i].at_ns;
        (void)tm_buf_add_str(out, "    at ");
        put_seconds(out, at);
        (void)tm_buf_add_str(out, " the offset goes from ");
        tm_align_put_ns(out, tm_line_at(&f->steps[i - 1].line, at), true);
        (void)tm_buf_add_str(out, " to ");
        tm_align_put_ns(out, tm_line_at(&f->steps[i].line, at), true);
        (void)tm_buf_add_str(out, "\n");
    }
}

static void put_verdict(struct tm_buf *out, const struct tm_alignment *a, const struct tm_align_file *f)
{
    char path[TM_ALIGN_PATH_MAX];
    tm_alignment_path(a, f->reference, path, sizeof path);
    switch (f->verdict) {
    case TM_VERDICT_NONE: (void)tm_buf_add_str(out, ": none; nothing in it relates it to another file\n"); return;
    case TM_VERDICT_REFERENCE: (void)tm_buf_add_str(out, ": reference\n"); return;
    default: (void)tm_buf_addf(out, ": %s to %s, by ", tm_verdict_name(f->verdict), path);
    }
    (void)tm_alignment_rules(a, f->rules, out);
    (void)tm_buf_addf(out, "; %" PRIu64 " match%s", f->matches, f->matches == 1 ? "" : "es");
    if (f->left_out)
        (void)tm_buf_addf(out, ", %" PRIu64 " constraint%s left out, because not all can be true", f->left_out,
                          tm_plural(f->left_out));
    (void)tm_buf_add_str(out, "\n");
}

static uint64_t size_of(const struct tm_network_cycle *cycle)
{
    return tm_magnitude(cycle->error_ns);
}

/* Tells how far the pairs' estimates contradict each other: the cycle with the largest error, and the mean of all. */
static void put_cycles(struct tm_buf *out, const struct tm_alignment *a)
{
    const struct tm_network *network = &a->network;
    const struct tm_network_cycle *worst = network->cycles;
    char first[TM_ALIGN_PATH_MAX], second[TM_ALIGN_PATH_MAX];
    tm_i128 sum = 0;
    if (network->cycle_count == 0)
        return;
    for (uint32_t i = 0; i < network->cycle_count; i++) {
        sum += size_of(&network->cycles[i]);
        worst = size_of(&network->cycles[i]) > size_of(worst) ? &network->cycles[i] : worst;
    }
    if (network->cycle_count == 1) {
        (void)tm_buf_add_str(out, "one pair closes a cycle; the offsets around it add up to ");
    } else {
        (void)tm_buf_addf(out, "%" PRIu32 " pairs close cycles; the offsets around a cycle add up to ",
                          network->cycle_count);
        tm_align_put_ns(out, (int64_t)(sum / network->cycle_count), false);
        (void)tm_buf_add_str(out, " on average and at most ");
    }
    tm_align_put_ns(out, (int64_t)size_of(worst), false);
    tm_alignment_path(a, a->candidates.nodes.nodes[worst->first].file, first, sizeof first);
    tm_alignment_path(a, a->candidates.nodes.nodes[worst->second].file, second, sizeof second);
    (void)tm_buf_addf(out, ", for the pair of %s and %s\n", first, second);
}

enum { LEFT_OUT_SHOWN = 8 };

/* Names the pairs whose matches are probably wrong. */
static void put_left_out(struct tm_buf *out, const struct tm_alignment *a)
{
    const struct tm_pair_table *pairs = &a->evidence.pairs;
    const struct tm_align_node *nodes = a->candidates.nodes.nodes;
    char first[TM_ALIGN_PATH_MAX], second[TM_ALIGN_PATH_MAX];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < pairs->count && shown < LEFT_OUT_SHOWN; i++) {
        const struct tm_pair *p = &pairs->pairs[i];
        if (!a->network.is_left_out[i])
            continue;
        shown++;
        tm_alignment_path(a, nodes[p->first].file, first, sizeof first);
        tm_alignment_path(a, nodes[p->second].file, second, sizeof second);
        (void)tm_buf_addf(out, "left out: the constraints between %s and %s (%" PRIu64 "), which are few beside those "
                          "that contradict them, or each other\n",
                          first, second, tm_pair_constraint_total(p));
    }
    if (a->network.left_out_count > shown)
        (void)tm_buf_addf(out, "left out: those of %" PRIu32 " other pair%s\n", a->network.left_out_count - shown,
                          tm_plural(a->network.left_out_count - shown));
}

enum tm_status tm_alignment_text(const struct tm_alignment *a, struct tm_buf *out)
{
    char path[TM_ALIGN_PATH_MAX];
    for (uint32_t i = 0; i < a->file_count; i++) {
        const struct tm_align_file *f = &a->files[i];
        tm_alignment_path(a, f->file, path, sizeof path);
        (void)tm_buf_add_str(out, path);
        put_verdict(out, a, f);
        if (f->grain_ns >= GRAIN_SHOWN_MIN_NS && f->verdict != TM_VERDICT_NONE) {
            (void)tm_buf_add_str(out, "  its clock counts in steps of ");
            tm_align_put_ns(out, f->grain_ns, false);
            (void)tm_buf_add_str(out, ", which loosens constraints by as much\n");
        }
        if (f->out_of_range)
            (void)tm_buf_addf(out, "  %" PRIu64 " event%s left out: %s out of range\n", f->out_of_range,
                              tm_plural(f->out_of_range), f->out_of_range == 1 ? "its time is" : "their times are");
        switch (f->verdict) {
        case TM_VERDICT_ALIGNED:
            put_line(out, f);
            put_bounds(out, f);
            break;
        case TM_VERDICT_ONE_SIDED: put_bounds(out, f); break;
        case TM_VERDICT_STEPPED: put_steps(out, f); break;
        case TM_VERDICT_CONTRADICTORY:
            (void)tm_buf_add_str(out, "  no line fits, with or without steps; no offset is stated\n");
            break;
        case TM_VERDICT_AMBIGUOUS:
            (void)tm_buf_add_str(out, "  periodic events match at more than one offset: ");
            tm_align_put_ns(out, f->offset_ns, true);
            if (f->has_second_best) {
                (void)tm_buf_add_str(out, " and ");
                tm_align_put_ns(out, f->second_best_ns, true);
            }
            (void)tm_buf_add_str(out, "\n");
            break;
        default: break;
        }
        if (f->has_second_best && f->verdict == TM_VERDICT_ALIGNED) {
            (void)tm_buf_add_str(out, "  the second best offset, with far fewer votes: ");
            tm_align_put_ns(out, f->second_best_ns, true);
            (void)tm_buf_add_str(out, "\n");
        }
    }
    put_cycles(out, a);
    put_left_out(out, a);
    return tm_buf_add_str(out, a->file_count ? "" : "no file has events\n");
}

static void put_breach(struct tm_buf *out, const struct tm_alignment *a, const struct tm_align_breach *b)
{
    char cause[TM_ALIGN_PATH_MAX], effect[TM_ALIGN_PATH_MAX];
    tm_alignment_path(a, b->cause, cause, sizeof cause);
    tm_alignment_path(a, b->effect, effect, sizeof effect);
    (void)tm_buf_addf(out, "%s to %s: %" PRIu64 " of %" PRIu64 " effect%s %s, the worst by ", cause, effect, b->count,
                      b->constraints, tm_plural(b->constraints),
                      b->count == 1 ? "comes before its cause" : "come before their causes");
    tm_align_put_ns(out, b->worst_ns, false);
    (void)tm_buf_add_str(out, "\n");
}

static uint64_t tested(const struct tm_alignment *a)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < a->breach_count; i++)
        all += a->breaches[i].constraints;
    return all;
}

static enum tm_status put_tested(struct tm_buf *out, const struct tm_alignment *a)
{
    const uint64_t count = tested(a);
    return tm_buf_addf(out, "%" PRIu64 " constraint%s across files %s tested\n", count, tm_plural(count),
                       count == 1 ? "was" : "were");
}

enum tm_status tm_alignment_breaches_text(const struct tm_alignment *a, struct tm_buf *out)
{
    char effect[TM_ALIGN_PATH_MAX], name[256];
    for (uint32_t i = 0; i < a->breach_count; i++) {
        const struct tm_align_breach *b = &a->breaches[i];
        if (b->count == 0)
            continue;
        put_breach(out, a, b);
        for (uint32_t k = 0; k < b->first_count; k++) {
            const struct tm_event none = {0};
            struct tm_text text = tm_catalog_string(&a->candidates.catalog, b->first[k].cause_name, &none);
            tm_text_escape(text.data ? (const char *)text.data : "-", text.data ? text.len : 1, name, sizeof name);
            (void)tm_buf_addf(out, "  %s at ", name);
            put_seconds(out, b->first[k].cause_ns);
            text = tm_catalog_string(&a->candidates.catalog, b->first[k].effect_name, &none);
            tm_text_escape(text.data ? (const char *)text.data : "-", text.data ? text.len : 1, name, sizeof name);
            (void)tm_buf_addf(out, ", and %s at ", name);
            put_seconds(out, b->first[k].effect_ns);
            (void)tm_buf_add_str(out, "\n");
        }
        tm_alignment_path(a, b->effect, effect, sizeof effect);
        (void)tm_buf_addf(out, "  fixed if %s is shifted by ", effect);
        tm_align_put_ns(out, b->worst_ns, true);
        (void)tm_buf_add_str(out, " or more\n");
    }
    return put_tested(out, a);
}

enum tm_status tm_alignment_breaches_summary(const struct tm_alignment *a, struct tm_buf *out)
{
    enum { SHOWN_MAX = 8 };
    const struct tm_align_breach *worst[SHOWN_MAX];
    uint32_t shown = 0, violated = 0;
    for (uint32_t i = 0; i < a->breach_count; i++) {
        const struct tm_align_breach *b = &a->breaches[i];
        if (b->count == 0)
            continue;
        violated++;
        uint32_t at = shown < SHOWN_MAX ? shown++ : SHOWN_MAX;
        for (; at > 0 && worst[at - 1]->worst_ns < b->worst_ns; at--)
            if (at < SHOWN_MAX)
                worst[at] = worst[at - 1];
        if (at < SHOWN_MAX)
            worst[at] = b;
    }
    for (uint32_t i = 0; i < shown; i++)
        put_breach(out, a, worst[i]);
    if (violated > shown)
        (void)tm_buf_addf(out, "%" PRIu32 " more pair%s of files %s such effects\n", violated - shown,
                          tm_plural(violated - shown), violated - shown == 1 ? "has" : "have");
    if (violated)
        (void)tm_buf_add_str(out, "tm-merge --check-causality lists them, and tm-merge --align finds better offsets\n");
    return put_tested(out, a);
}
