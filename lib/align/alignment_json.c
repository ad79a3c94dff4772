#include "align/alignment.h"

#include "json/scan.h"

#include <inttypes.h>

static void put_number(struct tm_buf *out, const char *name, bool is_known, int64_t value)
{
    if (is_known)
        (void)tm_buf_addf(out, ",\n   \"%s\": %" PRId64, name, value);
    else
        (void)tm_buf_addf(out, ",\n   \"%s\": null", name);
}

enum tm_status tm_align_json_string(struct tm_buf *out, const char *text)
{
    return tm_json_put_string(out, text, strlen(text));
}

static void put_text(struct tm_buf *out, const char *name, const char *text)
{
    (void)tm_buf_addf(out, ",\n   \"%s\": ", name);
    (void)tm_align_json_string(out, text);
}

static void put_points(struct tm_buf *out, const struct tm_align_file *f)
{
    (void)tm_buf_add_str(out, ",\n   \"steps\": [");
    for (uint32_t i = 1; i < f->step_count; i++) {
        int64_t at = f->steps[i].at_ns, before = tm_line_at(&f->steps[i - 1].line, at),
                after = tm_line_at(&f->steps[i].line, at);
        (void)tm_buf_addf(out, "%s{\"at_ns\": %" PRId64 ", \"before_ns\": %" PRId64 ", \"after_ns\": %" PRId64 "}",
                          i > 1 ? ", " : "", at, before, after);
    }
    (void)tm_buf_add_str(out, "]");
}

static enum tm_status put_file(const struct tm_alignment *a, const struct tm_align_file *f, struct tm_buf *out)
{
    char path[TM_ALIGN_PATH_MAX];
    struct tm_buf rules = {0};
    tm_alignment_path(a, f->file, path, sizeof path);
    (void)tm_buf_add_str(out, "  {\n   \"file\": ");
    (void)tm_align_json_string(out, path);
    put_text(out, "verdict", tm_verdict_name(f->verdict));
    if (f->verdict == TM_VERDICT_NONE) {
        (void)tm_buf_add_str(out, ",\n   \"reference\": null,\n   \"rule\": null");
    } else {
        tm_alignment_path(a, f->reference, path, sizeof path);
        put_text(out, "reference", path);
        (void)tm_alignment_rules(a, f->rules, &rules);
        put_text(out, "rule", tm_buf_cstr(&rules) ? (const char *)rules.data : "");
    }
    put_number(out, "matches", true, (int64_t)f->matches);
    put_number(out, "left_out", true, (int64_t)f->left_out);
    put_number(out, "offset_ns", f->has_offset, f->offset_ns);
    put_number(out, "at_ns", f->has_times, f->at_ns);
    put_number(out, "drift_ppb", f->has_offset && f->verdict != TM_VERDICT_AMBIGUOUS, f->drift_ppb);
    put_number(out, "uncertainty_ns", f->has_uncertainty, f->uncertainty_ns);
    put_number(out, "low_ns", f->low_ns != TM_UNBOUNDED_LOW, f->low_ns);
    put_number(out, "high_ns", f->high_ns != TM_UNBOUNDED_HIGH, f->high_ns);
    put_number(out, "first_ns", f->has_times, f->first_ns);
    put_number(out, "last_ns", f->has_times, f->last_ns);
    if (f->has_second_best)
        put_number(out, "second_best_ns", true, f->second_best_ns);
    if (f->grain_ns > 1)
        put_number(out, "granularity_ns", true, f->grain_ns);
    if (f->is_uneven || f->is_untested)
        put_text(out, "evenness", f->is_uneven ? "uneven" : "untested");
    if (f->out_of_range)
        put_number(out, "out_of_range", true, (int64_t)f->out_of_range);
    if (f->step_count > 1)
        put_points(out, f);
    tm_buf_release(&rules);
    return tm_buf_add_str(out, "\n  }");
}

/* Begins an object with the files of two nodes. */
static void begin_pair(const struct tm_alignment *a, struct tm_buf *out, uint32_t first, uint32_t second)
{
    char path[TM_ALIGN_PATH_MAX];
    tm_alignment_path(a, a->candidates.nodes.nodes[first].file, path, sizeof path);
    (void)tm_buf_add_str(out, "\n  {\"files\": [");
    (void)tm_align_json_string(out, path);
    tm_alignment_path(a, a->candidates.nodes.nodes[second].file, path, sizeof path);
    (void)tm_buf_add_str(out, ", ");
    (void)tm_align_json_string(out, path);
    (void)tm_buf_add_str(out, "], ");
}

static void put_cycles(const struct tm_alignment *a, struct tm_buf *out)
{
    (void)tm_buf_add_str(out, ",\n \"cycles\": [");
    for (uint32_t i = 0; i < a->network.cycle_count; i++) {
        const struct tm_network_cycle *cycle = &a->network.cycles[i];
        (void)tm_buf_add_str(out, i ? "," : "");
        begin_pair(a, out, cycle->first, cycle->second);
        (void)tm_buf_addf(out, "\"error_ns\": %" PRId64 "}", cycle->error_ns);
    }
    (void)tm_buf_add_str(out, a->network.cycle_count ? "\n ]" : "]");
}

/* Lists the pairs whose matches are probably wrong. There is no list without one. */
static void put_left_out(const struct tm_alignment *a, struct tm_buf *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->evidence.pairs.count; i++) {
        const struct tm_pair *p = &a->evidence.pairs.pairs[i];
        if (!a->network.is_left_out[i])
            continue;
        (void)tm_buf_add_str(out, count++ ? "," : ",\n \"pairs_left_out\": [");
        begin_pair(a, out, p->first, p->second);
        (void)tm_buf_addf(out, "\"constraints\": %" PRIu64 "}", tm_pair_constraint_total(p));
    }
    (void)tm_buf_add_str(out, count ? "\n ]" : "");
}

enum tm_status tm_alignment_json(const struct tm_alignment *a, struct tm_buf *out)
{
    enum tm_status st = tm_buf_add_str(out, "{\n \"alignment\": [\n");
    for (uint32_t i = 0; i < a->file_count && st == TM_OK; i++) {
        st = put_file(a, &a->files[i], out);
        if (st == TM_OK)
            st = tm_buf_add_str(out, i + 1 < a->file_count ? ",\n" : "\n");
    }
    if (st == TM_OK)
        st = tm_buf_add_str(out, " ]");
    if (st == TM_OK)
        put_cycles(a, out);
    if (st == TM_OK)
        put_left_out(a, out);
    return st == TM_OK ? tm_buf_add_str(out, "\n}\n") : st;
}

static void put_name(const struct tm_alignment *a, struct tm_buf *out, const char *member, uint32_t string)
{
    const struct tm_event none = {0};
    struct tm_text text = tm_catalog_string(&a->candidates.catalog, string, &none);
    (void)tm_buf_addf(out, "\"%s\": ", member);
    if (text.data)
        (void)tm_json_put_string(out, text.data, text.len);
    else
        (void)tm_buf_add_str(out, "null");
}

enum tm_status tm_alignment_breaches_json(const struct tm_alignment *a, struct tm_buf *out)
{
    char path[TM_ALIGN_PATH_MAX];
    (void)tm_buf_add_str(out, "{\n \"causality\": [\n");
    for (uint32_t i = 0; i < a->breach_count; i++) {
        const struct tm_align_breach *b = &a->breaches[i];
        tm_alignment_path(a, b->cause, path, sizeof path);
        (void)tm_buf_add_str(out, "  {\"cause\": ");
        (void)tm_align_json_string(out, path);
        tm_alignment_path(a, b->effect, path, sizeof path);
        (void)tm_buf_add_str(out, ", \"effect\": ");
        (void)tm_align_json_string(out, path);
        (void)tm_buf_addf(
            out, ", \"tested\": %" PRIu64 ", \"violated\": %" PRIu64 ", \"worst_ns\": %" PRId64 ", \"first\": [",
            b->constraints, b->count, b->worst_ns);
        for (uint32_t k = 0; k < b->first_count; k++) {
            (void)tm_buf_add_str(out, k ? ", {" : "{");
            put_name(a, out, "cause", b->first[k].cause_name);
            (void)tm_buf_addf(out, ", \"cause_ns\": %" PRId64 ", ", b->first[k].cause_ns);
            put_name(a, out, "effect", b->first[k].effect_name);
            (void)tm_buf_addf(out, ", \"effect_ns\": %" PRId64 "}", b->first[k].effect_ns);
        }
        (void)tm_buf_add_str(out, i + 1 < a->breach_count ? "]},\n" : "]}\n");
    }
    return tm_buf_add_str(out, " ]\n}\n");
}
