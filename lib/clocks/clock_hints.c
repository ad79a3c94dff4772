#include "clocks/clock_hints.h"

#include "base/table.h"

#include <stdlib.h>

static enum tm_status count_surplus(struct tm_clock_hints *hints, uint32_t file, struct tm_error *err)
{
    if (hints->surplus_count == 0 || hints->surplus[hints->surplus_count - 1].file != file) {
        if (tm_array_grow(&hints->surplus, &hints->surplus_cap, hints->surplus_count, sizeof *hints->surplus, err) < 0)
            return TM_E_SYSTEM;
        hints->surplus[hints->surplus_count++] = (struct tm_clock_hints_surplus){.file = file};
    }
    hints->surplus[hints->surplus_count - 1].count++;
    return TM_OK;
}

enum tm_status tm_clock_hints_add(struct tm_clock_hints *hints, const struct tm_clock_hint *hint,
                                  struct tm_error *err)
{
    uint64_t pair = (uint64_t)hint->from << 32 | hint->to;
    uint32_t there;
    if (!hints->is_enabled || hint->from == hint->to || tm_map_find(&hints->of_pair, pair, &there))
        return TM_OK;
    if (hints->count == TM_HINTS_MAX)
        return count_surplus(hints, hint->file, err);
    if (tm_array_grow(&hints->hints, &hints->cap, hints->count, sizeof *hints->hints, err) < 0)
        return TM_E_SYSTEM;
    if (tm_map_set(&hints->of_pair, pair, hints->count) != TM_OK)
        return tm_error_nomem(err);
    hints->hints[hints->count++] = *hint;
    return TM_OK;
}

enum tm_status tm_clock_hints_use(struct tm_clock_hints *hints, struct tm_clock_registry *registry, uint32_t file,
                                  struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (hints->used_count < hints->count && hints->hints[hints->used_count].is_used)
        hints->used_count++;
    for (uint32_t i = hints->used_count; i < hints->count && st == TM_OK; i++) {
        struct tm_clock_hint *hint = &hints->hints[i];
        if (hint->is_used || (file != UINT32_MAX && hint->file != file))
            continue;
        hint->is_used = true;
        if (tm_clock_graph_reaches(&registry->graph, hint->from, hint->to))
            continue;
        const struct tm_reading pair[2] = {tm_reading_at(hint->from, hint->from_ns),
                                           tm_reading_at(hint->to, hint->to_ns)};
        hint->is_edge = true;
        st = tm_clock_registry_add(registry, &(struct tm_clock_relation){pair, 2, TM_EDGE_HINT}, err);
    }
    return st;
}

enum tm_status tm_clock_hints_write_surplus(const struct tm_clock_hints *hints, struct tm_stream_writer *writer,
                                            struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < hints->surplus_count && st == TM_OK; i++) {
        Tracemerge__Stat stat = TRACEMERGE__STAT__INIT;
        stat.name = tm_bytes_str("facts_beyond_limits");
        stat.severity = TRACEMERGE__SEVERITY__DATA_LOSS;
        stat.value = (int64_t)hints->surplus[i].count;
        stat.has_file = true;
        stat.file = hints->surplus[i].file;
        st = tm_stream_write_message(writer, TM_FRAME_STAT, &stat.base, err);
    }
    return st;
}

void tm_clock_hints_release(struct tm_clock_hints *hints)
{
    free(hints->hints);
    free(hints->surplus);
    tm_map_release(&hints->of_pair);
    *hints = (struct tm_clock_hints){0};
}
