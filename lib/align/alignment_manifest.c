/* The manifest that says what was found: perfetto_manifest(5), with the member x_tracemerge of `clocks' that readers
 * who do not know it ignore. */
#include "align/alignment.h"

#include <inttypes.h>

/* [own_ns, offset_ns] of LINE at X. */
static void put_point(struct tm_buf *out, bool *any, const struct tm_line *line, int64_t x)
{
    (void)tm_buf_addf(out, "%s[%" PRId64 ", %" PRId64 "]", *any ? ", " : "", x, tm_line_at(line, x));
    *any = true;
}

static int64_t put_points(struct tm_buf *out, const struct tm_align_file *f)
{
    bool any = false;
    const struct tm_line told = {f->at_ns, f->offset_ns, tm_slope_of_ppb(f->drift_ppb)};
    if (f->verdict != TM_VERDICT_STEPPED) {
        put_point(out, &any, &told, f->first_ns);
        if (f->last_ns > f->first_ns)
            put_point(out, &any, &told, f->last_ns);
        return told.offset_ns;
    }
    put_point(out, &any, &f->steps[0].line, f->first_ns);
    for (uint32_t i = 1; i < f->step_count; i++) {
        put_point(out, &any, &f->steps[i - 1].line, f->steps[i].at_ns - 1);
        put_point(out, &any, &f->steps[i].line, f->steps[i].at_ns);
    }
    put_point(out, &any, &f->steps[f->step_count - 1].line, f->last_ns);
    return tm_line_at(&f->steps[0].line, f->at_ns - 1);
}

static bool has_line(const struct tm_align_file *f)
{
    return f->verdict == TM_VERDICT_ALIGNED || f->verdict == TM_VERDICT_STEPPED;
}

static void put_file(const struct tm_alignment *a, const struct tm_align_file *f, struct tm_buf *out)
{
    char path[4096];
    struct tm_buf points = {0}, rules = {0};
    int64_t offset = put_points(&points, f);
    tm_alignment_path(a, f->file, path, sizeof path);
    (void)tm_buf_add_str(out, "   {\n    \"path\": ");
    (void)tm_align_json_string(out, path);
    tm_alignment_path(a, f->reference, path, sizeof path);
    (void)tm_buf_add_str(out, ",\n    \"clocks\": {\n     \"sync_to\": {\"file\": ");
    (void)tm_align_json_string(out, path);
    (void)tm_buf_addf(out, "},\n     \"offset_ns\": %" PRId64 ",\n     \"x_tracemerge\": {\"points\": [", offset);
    (void)tm_buf_add(out, points.data, points.len);
    (void)tm_buf_add_str(out, "]");
    if (f->has_uncertainty)
        (void)tm_buf_addf(out, ", \"uncertainty_ns\": %" PRId64, f->uncertainty_ns);
    (void)tm_alignment_rules(a, f->rules, &rules);
    (void)tm_buf_add_str(out, ", \"rule\": ");
    (void)tm_align_json_string(out, tm_buf_cstr(&rules) ? (const char *)rules.data : "");
    (void)tm_buf_add_str(out, "}\n    }\n   }");
    tm_buf_release(&points);
    tm_buf_release(&rules);
}

/* Another file is aligned to F: it needs an entry that can be referred to. */
static bool is_referred_to(const struct tm_alignment *a, const struct tm_align_file *f)
{
    for (uint32_t i = 0; i < a->file_count; i++)
        if (has_line(&a->files[i]) && a->files[i].reference == f->file && !has_line(f))
            return true;
    return false;
}

static void put_reference(const struct tm_alignment *a, const struct tm_align_file *f, struct tm_buf *out)
{
    char path[4096];
    tm_alignment_path(a, f->file, path, sizeof path);
    (void)tm_buf_add_str(out, "   {\"path\": ");
    (void)tm_align_json_string(out, path);
    (void)tm_buf_add_str(out, "}");
}

enum tm_status tm_alignment_manifest(const struct tm_alignment *a, struct tm_buf *out)
{
    bool any = false;
    (void)tm_buf_add_str(out, "{\n \"perfetto_manifest\": {\n  \"version\": 1,\n  \"files\": [\n");
    for (uint32_t i = 0; i < a->file_count; i++) {
        bool referred = is_referred_to(a, &a->files[i]);
        if (!has_line(&a->files[i]) && !referred)
            continue;
        (void)tm_buf_add_str(out, any ? ",\n" : "");
        (referred ? put_reference : put_file)(a, &a->files[i], out);
        any = true;
    }
    return tm_buf_add_str(out, any ? "\n  ]\n }\n}\n" : "  ]\n }\n}\n");
}
