#include "base/natural.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "manifest/manifest.h"
#include "manifest/merge_plan.h"

#include <inttypes.h>
#include <stdlib.h>

bool tm_merge_plan_says(const struct tm_merge_plan *plan)
{
    bool says = plan->trace_clock != NULL;
    for (size_t i = 0; i < plan->count && !says; i++)
        says = plan->files[i].machine || plan->files[i].is_synced;
    return says;
}

/* The functions below write; they return false if out of memory. */
static bool put(struct tm_buf *out, const char *text)
{
    return tm_buf_add_str(out, text) == TM_OK;
}

static bool put_string(struct tm_buf *out, const char *before, const char *text)
{
    return put(out, before) && tm_json_put_string(out, text, strlen(text)) == TM_OK;
}

static bool put_clocks(struct tm_buf *out, const struct tm_merge_plan *plan, const struct tm_plan_file *f)
{
    bool ok = put(out, ",\n     \"clocks\": {");
    if (f->clock)
        ok = ok && put_string(out, "\"clock\": ", f->clock) && put(out, ", ");
    ok = ok && put_string(out, "\"sync_to\": {\"file\": ", plan->files[f->reference].name);
    if (f->reference_clock)
        ok = ok && put_string(out, ", \"clock\": ", f->reference_clock);
    return ok && tm_buf_addf(out, "}, \"offset_ns\": %" PRId64 "}", f->offset_ns) == TM_OK;
}

static bool put_file(struct tm_buf *out, const struct tm_merge_plan *plan, const struct tm_plan_file *f)
{
    bool ok = put_string(out, "    {\"path\": ", f->name);
    if (f->machine)
        ok = ok && put_string(out, ", \"machine\": {\"name\": ", f->machine) && put(out, "}");
    if (f->is_synced)
        ok = ok && put_clocks(out, plan, f);
    return ok && put(out, "}");
}

/* True if the manifest has an entry for file I. */
static bool is_listed(const struct tm_merge_plan *plan, size_t i)
{
    const struct tm_plan_file *f = &plan->files[i];
    return !f->is_archive && tm_utf8_valid((const uint8_t *)f->name, strlen(f->name));
}

static int compare(const void *a, const void *b)
{
    const struct tm_plan_file *const *x = a, *const *y = b;
    int order = tm_natural_compare((*x)->machine ? (*x)->machine : "", (*y)->machine ? (*y)->machine : "");
    return order ? order : tm_natural_compare((*x)->name, (*y)->name);
}

/* Returns the files in the order of the manifest, to be freed. NULL if out of memory. */
static const struct tm_plan_file **order_files(const struct tm_merge_plan *plan)
{
    const struct tm_plan_file **files = calloc(plan->count + 1, sizeof *files);
    for (size_t i = 0; files && i < plan->count; i++)
        files[i] = &plan->files[i];
    if (files && plan->is_natural)
        qsort(files, plan->count, sizeof *files, compare);
    return files;
}

static bool put_manifest(struct tm_buf *out, const struct tm_merge_plan *plan)
{
    bool ok = put(out, "{\"perfetto_manifest\": {\n  \"version\": 1");
    if (plan->trace_clock)
        ok = ok && put_string(out, ",\n  \"trace_time\": {\"clock\": ", plan->trace_clock);
    if (plan->has_trace_file)
        ok = ok && put_string(out, ", \"file\": ", plan->files[plan->trace_file].name);
    if (plan->trace_clock)
        ok = ok && put(out, "}");
    ok = ok && put(out, ",\n  \"files\": [");
    const char *comma = "\n";
    const struct tm_plan_file **files = order_files(plan);
    ok = ok && files;
    for (size_t i = 0; i < plan->count && ok; i++) {
        if (!is_listed(plan, (size_t)(files[i] - plan->files)))
            continue;
        ok = put(out, comma) && put_file(out, plan, files[i]);
        comma = ",\n";
    }
    free(files);
    return ok && put(out, "\n  ]\n}}\n");
}

/* Checks for things that no manifest can state. */
static enum tm_status check_use(const struct tm_merge_plan *plan, size_t i, struct tm_error *err)
{
    const struct tm_plan_file *f = &plan->files[i];
    return tm_error_set(err, TM_E_USAGE,
                        f->is_archive ? "%s is an archive, and a manifest configures no archive"
                                      : "%s: a name that is not UTF-8 cannot be in a manifest", f->path);
}

static enum tm_status check_uses(const struct tm_merge_plan *plan, struct tm_error *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct tm_plan_file *f = &plan->files[i];
        if ((f->machine || f->is_synced) && !is_listed(plan, i))
            return check_use(plan, i, err);
        if (f->is_synced && !is_listed(plan, f->reference))
            return check_use(plan, f->reference, err);
        if (f->machine && !tm_utf8_valid((const uint8_t *)f->machine, strlen(f->machine)))
            return tm_error_set(err, TM_E_USAGE, "--machine: '%s' is not UTF-8", f->machine);
    }
    if (plan->has_trace_file && !is_listed(plan, plan->trace_file))
        return check_use(plan, plan->trace_file, err);
    return TM_OK;
}

enum tm_status tm_merge_plan_manifest(const struct tm_merge_plan *plan, struct tm_buf *out, struct tm_error *err)
{
    struct tm_manifest manifest = {0};
    enum tm_status st = check_uses(plan, err);
    if (st < 0)
        return st;
    if (!put_manifest(out, plan))
        return tm_error_nomem(err);
    struct tm_error why = {0};
    st = tm_manifest_read(&manifest, out->data, out->len, &why);
    if (st < 0)
        st = tm_error_set(err, st == TM_E_INPUT ? TM_E_USAGE : st, "%s", why.text);
    tm_manifest_release(&manifest);
    return st;
}
