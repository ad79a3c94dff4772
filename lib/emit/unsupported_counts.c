#include "emit/unsupported_counts.h"

#include "emit/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tm_unsupported_counts_file *file_of(struct tm_unsupported_counts *unsaid, uint32_t file)
{
    if (file >= unsaid->file_count) {
        struct tm_unsupported_counts_file *files = realloc(unsaid->files, ((size_t)file + 1) * sizeof *files);
        if (files == NULL)
            return NULL;
        memset(files + unsaid->file_count, 0, (file + 1 - unsaid->file_count) * sizeof *files);
        unsaid->files = files;
        unsaid->file_count = file + 1;
    }
    return &unsaid->files[file];
}

void tm_unsupported_counts_event(struct tm_unsupported_counts *unsaid, const struct tm_event *event)
{
    struct tm_unsupported_counts_file *file = unsaid ? file_of(unsaid, event->file) : NULL;
    if (file)
        file->events[event->kind < TM_UNSUPPORTED_COUNTS_KINDS ? event->kind : TM_UNSUPPORTED_COUNTS_KINDS - 1]++;
}

void tm_unsupported_counts_early(struct tm_unsupported_counts *unsaid, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsaid && count ? file_of(unsaid, file) : NULL;
    if (row)
        row->early += count;
}

void tm_unsupported_counts_times(struct tm_unsupported_counts *unsaid, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsaid && count ? file_of(unsaid, file) : NULL;
    if (row == NULL)
        return;
    row->times += count;
    unsaid->times += count;
}

void tm_unsupported_counts_tell(const struct tm_unsupported_counts *unsaid, const struct tm_catalog *catalog,
                                const char *format, void (*warn)(const char *text))
{
    char path[1024], line[1400];
    for (uint32_t i = 0; i < unsaid->file_count && i < catalog->file_count; i++) {
        const struct tm_unsupported_counts_file *file = &unsaid->files[i];
        tm_catalog_told_path(catalog, i, path, sizeof path);
        for (uint32_t kind = 0; kind < TM_UNSUPPORTED_COUNTS_KINDS; kind++) {
            const char *name = tm_name_of_kind(kind);
            if (file->events[kind] == 0)
                continue;
            snprintf(line, sizeof line, "%s: %llu event%s of kind %s ha%s no form in %s", path,
                     (unsigned long long)file->events[kind], file->events[kind] == 1 ? "" : "s",
                     name ? name : "unknown", file->events[kind] == 1 ? "s" : "ve", format);
            warn(line);
        }
        if (file->early) {
            snprintf(line, sizeof line,
                     "%s: %llu ftrace event%s from before its tracing started %s left out, as readers of it do", path,
                     (unsigned long long)file->early, file->early == 1 ? "" : "s", file->early == 1 ? "was" : "were");
            warn(line);
        }
        if (file->times == 0)
            continue;
        snprintf(line, sizeof line,
                 "%s: %llu time%s inside packets could not be put on trace time and stand as recorded", path,
                 (unsigned long long)file->times, file->times == 1 ? "" : "s");
        warn(line);
    }
}

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsaid)
{
    free(unsaid->files);
    *unsaid = (struct tm_unsupported_counts){0};
}
