#include "emit/no_events.h"

#include "emit/paths.h"

#include <stdio.h>

enum { CAUSE_MAX = 512 /* bytes of a cause and of the number of further files */ };

/* Warns of files with statistic STAT: names the first one and counts the others. */
static void warn_of(const struct tm_catalog *catalog, const char *stat, const char *cause,
                    void (*warn)(const char *text))
{
    char path[TM_PATH_TEXT_MAX], more[64] = "", line[TM_PATH_TEXT_MAX + CAUSE_MAX];
    uint32_t first = 0, count = 0;
    for (uint32_t i = 0; i < catalog->stat_count; i++) {
        const Tracemerge__Stat *s = catalog->stats[i];
        if (!s->has_file || s->name.len != strlen(stat) || memcmp(s->name.data, stat, s->name.len) != 0)
            continue;
        if (count++ == 0 || s->file < first)
            first = s->file;
    }
    if (count == 0 || first >= catalog->file_count)
        return;
    while (catalog->files[first].name.data && catalog->files[first].name.len == 0 && catalog->files[first].has_parent)
        first = catalog->files[first].parent; /* a member of that file */
    tm_catalog_path(catalog, first, path, sizeof path);
    if (count > 1)
        snprintf(more, sizeof more, " (and %u more)", count - 1);
    snprintf(line, sizeof line, "%s%s: %s", path, more, cause);
    warn(line);
}

void tm_no_events_warn(const struct tm_catalog *catalog, void (*warn)(const char *text))
{
    warn_of(catalog, "json_control_characters",
            "control characters in strings are not valid JSON; they were read as if they were escaped", warn);
    warn_of(catalog, "tm_json_without_events",
            "a JSON object without traceEvents has no events (a manifest begins with {\"perfetto_manifest\")", warn);
    warn_of(catalog, "cpuprofile_without_samples", "a CPU profile without samples has no events", warn);
    warn_of(catalog, "gecko_process_without_start",
            "a process of the profile states no start; its times are assumed to count from that of the first process",
            warn);
}
