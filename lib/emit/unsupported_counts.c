#include "emit/unsupported_counts.h"

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

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsaid)
{
    free(unsaid->files);
    *unsaid = (struct tm_unsupported_counts){0};
}
