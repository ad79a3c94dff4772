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

void tm_unsupported_counts_add(struct tm_unsupported_counts *unsupported, uint32_t file, enum tm_unsupported what,
                               uint64_t count)
{
    struct tm_unsupported_counts_file *row = unsupported && count ? file_of(unsupported, file) : NULL;
    if (row == NULL)
        return;
    row->others[what] += count;
    unsupported->others[what] += count;
}

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsupported)
{
    free(unsupported->files);
    *unsupported = (struct tm_unsupported_counts){0};
}
