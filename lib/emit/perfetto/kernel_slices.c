#include "emit/perfetto/kernel_slices.h"

#include <stdlib.h>

bool tm_is_of_kernel_or_tracks(enum tm_input_type type)
{
    return type == TM_INPUT_PROTO || type == TM_INPUT_SYSTRACE || type == TM_INPUT_TRACE_DAT ||
           type == TM_INPUT_CTF || type == TM_INPUT_PERF;
}

/* True if FILE has kernel events of which it is not known on which threads they make slices. IS_PLACED: it has a
 * placement. */
static bool is_unknown(const struct tm_catalog_file *file, bool is_placed)
{
    if (!file->begun || !tm_is_of_kernel_or_tracks(file->input_type))
        return false;
    return !file->lists_slice_tids || (file->slice_tid_count && !is_placed);
}

enum tm_status tm_kernel_slices_init(struct tm_kernel_slices *slices, const struct tm_catalog *c)
{
    enum tm_status st = TM_OK;
    bool *is_placed = calloc((size_t)c->file_count + 1, sizeof *is_placed);
    if (is_placed == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; st >= 0 && i < c->placement_count; i++) {
        const Tracemerge__Placement *p = c->placements[i];
        const struct tm_catalog_file *file = p->file < c->file_count ? &c->files[p->file] : NULL;
        if (file == NULL || !tm_is_of_kernel_or_tracks(file->input_type))
            continue;
        is_placed[p->file] = true;
        for (size_t k = 0; st >= 0 && k < file->slice_tid_count; k++)
            st = tm_map_add(&slices->threads, tm_kernel_slices_key(p->machine, file->slice_tids[k]), 0);
    }
    for (uint32_t i = 0; i < c->file_count; i++)
        slices->is_unknown |= is_unknown(&c->files[i], is_placed[i]);
    free(is_placed);
    return st < 0 ? st : TM_OK;
}

void tm_kernel_slices_release(struct tm_kernel_slices *slices)
{
    tm_map_release(&slices->threads);
    *slices = (struct tm_kernel_slices){0};
}
