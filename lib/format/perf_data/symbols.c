#include "format/perf_data/symbols.h"

#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_perf_symbols_file(struct tm_perf_symbols *s, const struct tm_perf_symbol_file *file,
                                    struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&s->files, &s->file_cap, s->file_count, sizeof *s->files, err);
    if (st < 0)
        return st;
    s->files[s->file_count] = *file;
    if (tm_map_set(&s->file_of_name, file->name, s->file_count) < 0)
        return tm_error_nomem(err);
    s->file_count++;
    return TM_OK;
}

enum tm_status tm_perf_symbols_add(struct tm_perf_symbols *s, const struct tm_perf_symbol *symbol, struct tm_error *err)
{
    if (s->count == TM_PERF_SYMBOLS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than the limit of %d symbols", TM_PERF_SYMBOLS_MAX);
    enum tm_status st = tm_array_grow(&s->list, &s->cap, s->count, sizeof *s->list, err);
    if (st < 0)
        return st;
    s->list[s->count] = *symbol;
    s->list[s->count++].file = s->file_count - 1;
    return TM_OK;
}

static int by_address(const void *left, const void *right)
{
    const struct tm_perf_symbol *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->len != b->len ? (a->len > b->len ? -1 : 1) : (a->name > b->name) - (a->name < b->name);
}

void tm_perf_symbols_settle(struct tm_perf_symbols *s)
{
    if (s->count > 0)
        qsort(s->list, s->count, sizeof *s->list, by_address);
}

uint32_t tm_perf_symbols_find(const struct tm_perf_symbols *s, const struct tm_perf_mapping *m, uint64_t address)
{
    uint32_t file, low = 0, high = s->count;
    if (!tm_map_find(&s->file_of_name, m->name, &file))
        return TM_PERF_NO_TEXT;
    if (!s->files[file].is_absolute)
        address = address - m->start + m->offset + s->files[file].bias;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct tm_perf_symbol *e = &s->list[middle];
        if (e->file < file || (e->file == file && e->start <= address))
            low = middle + 1;
        else
            high = middle;
    }
    const struct tm_perf_symbol *e = low > 0 ? &s->list[low - 1] : NULL;
    return e && e->file == file && address - e->start < e->len ? e->name : TM_PERF_NO_TEXT;
}

void tm_perf_symbols_release(struct tm_perf_symbols *s)
{
    free(s->files);
    free(s->list);
    tm_map_release(&s->file_of_name);
    *s = (struct tm_perf_symbols){0};
}
