#include "base/natural.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "manifest/manifest.h"
#include "manifest/draft.h"

#include <inttypes.h>
#include <stdlib.h>

bool tm_draft_is_set(const struct tm_draft *draft)
{
    bool is_set = draft->trace_clock != NULL;
    for (size_t i = 0; i < draft->count && !is_set; i++)
        is_set = draft->files[i].machine || draft->files[i].is_synced;
    return is_set;
}

/* The put functions append to OUT. They return false if out of memory. */
static bool put(struct tm_buf *out, const char *text)
{
    return tm_buf_add_str(out, text) == TM_OK;
}

static bool put_string(struct tm_buf *out, const char *before, const char *text)
{
    return put(out, before) && tm_json_put_string(out, text, strlen(text)) == TM_OK;
}

static bool put_clocks(struct tm_buf *out, const struct tm_draft *draft, const struct tm_draft_file *f)
{
    bool ok = put(out, ",\n     \"clocks\": {");
    if (f->clock)
        ok = ok && put_string(out, "\"clock\": ", f->clock) && put(out, ", ");
    ok = ok && put_string(out, "\"sync_to\": {\"file\": ", draft->files[f->reference].name);
    if (f->reference_clock)
        ok = ok && put_string(out, ", \"clock\": ", f->reference_clock);
    return ok && tm_buf_addf(out, "}, \"offset_ns\": %" PRId64 "}", f->offset_ns) == TM_OK;
}

static bool put_file(struct tm_buf *out, const struct tm_draft *draft, const struct tm_draft_file *f)
{
    bool ok = put_string(out, "    {\"path\": ", f->name);
    if (f->machine)
        ok = ok && put_string(out, ", \"machine\": {\"name\": ", f->machine) && put(out, "}");
    if (f->is_synced)
        ok = ok && put_clocks(out, draft, f);
    return ok && put(out, "}");
}

/* True if the manifest has an entry for file I. */
static bool is_listed(const struct tm_draft *draft, size_t i)
{
    const struct tm_draft_file *f = &draft->files[i];
    return !f->is_archive && tm_utf8_valid((const uint8_t *)f->name, strlen(f->name));
}

static int compare(const void *a, const void *b)
{
    const struct tm_draft_file *const *x = a, *const *y = b;
    int order = tm_natural_compare((*x)->machine ? (*x)->machine : "", (*y)->machine ? (*y)->machine : "");
    return order ? order : tm_natural_compare((*x)->name, (*y)->name);
}

/* Returns the files in the order of the manifest, to be freed. NULL if out of memory. */
static const struct tm_draft_file **order_files(const struct tm_draft *draft)
{
    const struct tm_draft_file **files = calloc(draft->count + 1, sizeof *files);
    for (size_t i = 0; files && i < draft->count; i++)
        files[i] = &draft->files[i];
    if (files && draft->is_natural)
        qsort(files, draft->count, sizeof *files, compare);
    return files;
}

static bool put_manifest(struct tm_buf *out, const struct tm_draft *draft)
{
    bool ok = put(out, "{\"perfetto_manifest\": {\n  \"version\": 1");
    if (draft->trace_clock)
        ok = ok && put_string(out, ",\n  \"trace_time\": {\"clock\": ", draft->trace_clock);
    if (draft->has_trace_file)
        ok = ok && put_string(out, ", \"file\": ", draft->files[draft->trace_file].name);
    if (draft->trace_clock)
        ok = ok && put(out, "}");
    ok = ok && put(out, ",\n  \"files\": [");
    const char *comma = "\n";
    const struct tm_draft_file **files = order_files(draft);
    ok = ok && files;
    for (size_t i = 0; i < draft->count && ok; i++) {
        if (!is_listed(draft, (size_t)(files[i] - draft->files)))
            continue;
        ok = put(out, comma) && put_file(out, draft, files[i]);
        comma = ",\n";
    }
    free(files);
    return ok && put(out, "\n  ]\n}}\n");
}

/* Sets the error for options that use file I, which no manifest can name. */
static enum tm_status check_use(const struct tm_draft *draft, size_t i, struct tm_error *err)
{
    const struct tm_draft_file *f = &draft->files[i];
    return tm_error_set(err, TM_E_USAGE,
                        f->is_archive ? "%s is an archive, which a manifest cannot configure"
                                      : "%s: the name is not UTF-8, so a manifest cannot contain it", f->path);
}

/* Checks that a manifest can state all names that options use. */
static enum tm_status check_uses(const struct tm_draft *draft, struct tm_error *err)
{
    for (size_t i = 0; i < draft->count; i++) {
        const struct tm_draft_file *f = &draft->files[i];
        if ((f->machine || f->is_synced) && !is_listed(draft, i))
            return check_use(draft, i, err);
        if (f->is_synced && !is_listed(draft, f->reference))
            return check_use(draft, f->reference, err);
        if (f->machine && !tm_utf8_valid((const uint8_t *)f->machine, strlen(f->machine)))
            return tm_error_set(err, TM_E_USAGE, "--machine: '%s' is not UTF-8", f->machine);
    }
    if (draft->has_trace_file && !is_listed(draft, draft->trace_file))
        return check_use(draft, draft->trace_file, err);
    return TM_OK;
}

enum tm_status tm_draft_manifest(const struct tm_draft *draft, struct tm_buf *out, struct tm_error *err)
{
    struct tm_manifest manifest = {0};
    enum tm_status st = check_uses(draft, err);
    if (st < 0)
        return st;
    if (!put_manifest(out, draft))
        return tm_error_nomem(err);
    struct tm_error why = {0};
    st = tm_manifest_read(&manifest, out->data, out->len, &why);
    if (st < 0)
        st = tm_error_set(err, st == TM_E_INPUT ? TM_E_USAGE : st, "%s", why.text);
    tm_manifest_release(&manifest);
    return st;
}
