#include "plan/file_bounds.h"

#include "base/table.h"

#include <stdlib.h>

static bool find(struct tm_file_bounds *b, uint32_t file)
{
    return (b->last < b->count && b->files[b->last].like.file == file) || tm_map_find(&b->of_file, file, &b->last);
}

enum tm_status tm_file_bounds_add(struct tm_file_bounds *b, const struct tm_event *e, int64_t end_ns,
                                  struct tm_error *err)
{
    if (!find(b, e->file)) {
        if (tm_array_grow(&b->files, &b->cap, b->count, sizeof *b->files, err) < 0)
            return TM_E_SYSTEM;
        if (tm_map_set(&b->of_file, e->file, b->count) != TM_OK)
            return tm_error_nomem(err);
        b->last = b->count++;
        b->files[b->last] = (struct tm_file_bound){.like = *e, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
        b->files[b->last].like.raw = b->files[b->last].like.detail = NULL;
        b->files[b->last].like.raw_bytes = b->files[b->last].like.detail_bytes = 0;
    }
    struct tm_file_bound *f = &b->files[b->last];
    if (e->time_ns < f->first_ns)
        f->first_ns = e->time_ns;
    if (end_ns > f->last_ns)
        f->last_ns = end_ns;
    return TM_OK;
}

void tm_file_bounds_keep(struct tm_file_bounds *b, const struct tm_event *row, int64_t end_ns)
{
    if (!find(b, row->file))
        return;
    struct tm_file_bound *f = &b->files[b->last];
    if (!f->has_kept || row->time_ns < f->kept_first_ns)
        f->kept_first_ns = row->time_ns;
    if (!f->has_kept || end_ns > f->kept_last_ns)
        f->kept_last_ns = end_ns;
    f->has_kept = true;
}

bool tm_file_bound_is_kept(const struct tm_file_bound *f)
{
    return f->has_kept && f->kept_first_ns <= f->first_ns && f->kept_last_ns >= f->last_ns;
}

void tm_file_bounds_release(struct tm_file_bounds *b)
{
    free(b->files);
    tm_map_release(&b->of_file);
    *b = (struct tm_file_bounds){0};
}
