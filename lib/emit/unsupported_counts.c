#include "emit/unsupported_counts.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static struct tm_unsupported_counts_file *file_of(struct tm_unsupported_counts *unsupported, uint32_t file)
{
    if (file >= unsupported->file_count) {
        if (tm_array_grow(&unsupported->files, &unsupported->file_cap, file, sizeof *unsupported->files, NULL) < 0)
            return NULL;
        unsupported->file_count = file + 1;
    }
    return &unsupported->files[file];
}

void tm_unsupported_counts_event(struct tm_unsupported_counts *unsupported, const struct tm_event *event)
{
    struct tm_unsupported_counts_file *file = unsupported ? file_of(unsupported, event->file) : NULL;
    if (file)
        file->events[event->kind < TM_UNSUPPORTED_COUNTS_KINDS ? event->kind : TM_UNSUPPORTED_COUNTS_KINDS - 1]++;
}

void tm_unsupported_counts_early(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row)
        row->early += count;
}

void tm_unsupported_counts_times(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row == NULL)
        return;
    row->times += count;
    unsupported->times += count;
}

void tm_unsupported_counts_readings(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row)
        row->readings += count;
}

void tm_unsupported_counts_surplus(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row)
        row->surplus += count;
}

void tm_unsupported_counts_names(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row)
        row->names += count;
}

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsupported)
{
    free(unsupported->files);
    *unsupported = (struct tm_unsupported_counts){0};
}
