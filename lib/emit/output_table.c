#include "base/path.h"
#include "emit/outputs.h"
#include "emit/table_files.h"
#include "os/compressor_name.h"

#include <stdio.h>

#define FILE_OF(table) #table ".csv",

const struct tm_emit tm_emit_text = {
    .name = "text",
    .suffixes = (const char *const[]){".txt", ".text", NULL},
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .needs_detail = true,
    .events = &tm_emit_text_events,
    .shows_flows = true,
};

const struct tm_emit tm_emit_jsonl = {
    .name = "jsonl",
    .suffixes = (const char *const[]){".jsonl", ".ndjson", NULL},
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .needs_detail = true,
    .has_args = true,
    .events = &tm_emit_jsonl_events,
    .shows_flows = true,
};

const struct tm_emit tm_emit_csv = {
    .name = "csv",
    .suffixes = (const char *const[]){".csv", NULL},
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .needs_detail = true,
    .has_args = true,
    .events = &tm_emit_csv_events,
    .shows_flows = true,
};

const struct tm_emit tm_emit_text_events = {
    .name = "text",
    .shows_flows = true,
};

const struct tm_emit tm_emit_jsonl_events = {
    .name = "jsonl",
    .needs_detail = true,
    .shows_flows = true,
};

const struct tm_emit tm_emit_csv_events = {
    .name = "csv",
    .shows_flows = true,
};

const struct tm_emit tm_emit_frames = {
    .name = "frames",
    .shows_stream = true,
    .takes_compact_messages = true,
    .suffixes = (const char *const[]){".frames", NULL},
    .raw = "all",
    .needs_detail = true,
};

const struct tm_emit tm_emit_report = {
    .name = "report",
    .needs_detail = true,
    .reports_notices = true,
    .suffixes = (const char *const[]){".report", NULL},
};

const struct tm_emit tm_emit_explain = {
    .name = "explain",
    .reports_notices = true,
    .suffixes = (const char *const[]){NULL},
    .needs_placed = true,
};

const struct tm_emit tm_emit_summary = {
    .name = "summary",
    .reports_notices = true,
    .suffixes = (const char *const[]){NULL},
    .needs_placed = true,
};

const struct tm_emit tm_emit_dropped = {
    .name = "dropped",
    .reports_notices = true,
    .suffixes = (const char *const[]){NULL},
    .needs_placed = true,
    .needs_dropped = true,
};

const struct tm_emit tm_emit_pftrace = {
    .name = "pftrace",
    .suffixes = (const char *const[]){".pftrace", ".perfetto-trace", NULL},
    .is_binary = true,
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .raw = "proto,short-line",
    .takes_compact_messages = true,
    .needs_detail = true,
    .copies_packets = true,
    .shows_flows = true,
};

const struct tm_emit tm_emit_json = {
    .name = "json",
    .suffixes = (const char *const[]){".json", NULL},
    .needs_sorted = true,
    .needs_placed = true,
    .raw = "json",
    .needs_detail = true,
    .reads_json_raw = true,
    .shows_flows = true,
};

const struct tm_emit tm_emit_sqlite = {
    .name = "sqlite",
    .suffixes = (const char *const[]){".db", ".sqlite", ".sqlite3", NULL},
    .is_binary = true,
    .needs_path = true,
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .needs_detail = true,
    .raw = "ftrace",
    .shows_flows = true,
};

const struct tm_emit tm_emit_tables = {
    .name = "tables",
    .suffixes = (const char *const[]){"/", NULL},
    .is_binary = true,
    .needs_path = true,
    .members = (const char *const[]){TM_TABLE_FILES(FILE_OF) NULL},
    .tells_lifetimes = true,
    .needs_sorted = true,
    .needs_placed = true,
    .needs_detail = true,
    .raw = "ftrace",
    .shows_flows = true,
};

const struct tm_emit tm_emit_svg = {
    .name = "svg",
    .suffixes = (const char *const[]){".svg", NULL},
    .needs_placed = true,
};

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
            len += (size_t)snprintf(text + len, size - len, "%s%s%s", len ? ", " : "", *suffix,
                                    tm_emits[i]->members ? " (a folder)" : "");
}

const struct tm_emit *tm_emit_choose(const char *format, const char *out)
{
    if (format)
        return tm_emit_find(format);
    if (out == NULL)
        return tm_emits[0];
    const struct tm_emit *emit = tm_emit_for_path(out);
    const char *base = tm_path_base(out);
    bool has_ending = *base && strchr(base + 1, '.') != NULL;
    return emit || has_ending ? emit : tm_emits[0];
}
