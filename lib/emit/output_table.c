#include "emit/outputs.h"

#include "os/compressor.h"

#include <stdio.h>

const struct tm_emit *const tm_emits[] = {
    &tm_emit_text,
    &tm_emit_jsonl,
    &tm_emit_csv,
    &tm_emit_frames,
    &tm_emit_report,
    &tm_emit_explain,
    &tm_emit_summary,
    &tm_emit_dropped,
    &tm_emit_pftrace,
    &tm_emit_json,
    &tm_emit_sqlite,
    &tm_emit_tables,
    &tm_emit_svg,
    NULL,
};

const struct tm_emit *tm_emit_find(const char *name)
{
    for (size_t i = 0; tm_emits[i]; i++)
        if (strcmp(tm_emits[i]->name, name) == 0)
            return tm_emits[i];
    return NULL;
}

const struct tm_emit *tm_emit_for_path(const char *path)
{
    const struct tm_emit *found = NULL;
    size_t longest = 0, len;
    bool is_compressed = tm_compressor_of(path, &len) != TM_COMPRESSOR_NONE;
    for (size_t i = 0; tm_emits[i]; i++) {
        for (const char *const *suffix = tm_emits[i]->suffixes; *suffix; suffix++) {
            size_t n = strlen(*suffix);
            if (n > longest && n < len && memcmp(path + len - n, *suffix, n) == 0 &&
                !(is_compressed && tm_emits[i]->needs_path)) {
                found = tm_emits[i];
                longest = n;
            }
        }
    }
    return found;
}

void tm_emit_endings(char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; tm_emits[i]; i++)
        for (const char *const *suffix = tm_emits[i]->suffixes; *suffix && len < size; suffix++)
            len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : "", *suffix);
}

const struct tm_emit *tm_emit_choose(const char *format, const char *out)
{
    if (format)
        return tm_emit_find(format);
    if (out == NULL)
        return tm_emits[0];
    const struct tm_emit *emit = tm_emit_for_path(out);
    const char *slash = strrchr(out, '/');
    const char *base = slash ? slash + 1 : out;
    bool has_ending = *base && strchr(base + 1, '.') != NULL;
    return emit || has_ending ? emit : tm_emits[0];
}
