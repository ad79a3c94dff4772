#include "clocks/clock_hints.h"

#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_clock_hints_add(struct tm_clock_hints *hints, const struct tm_clock_hint *hint,
                                  struct tm_error *err)
{
    uint64_t pair = (uint64_t)hint->from << 32 | hint->to;
    uint32_t there;
    if (!hints->is_enabled || hint->from == hint->to || hints->count == TM_HINTS_MAX ||
        tm_map_find(&hints->of_pair, pair, &there))
        return TM_OK;
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
    for (uint32_t i = 0; i < hints->count && st == TM_OK; i++) {
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

void tm_clock_hints_release(struct tm_clock_hints *hints)
{
    free(hints->hints);
    tm_map_release(&hints->of_pair);
    *hints = (struct tm_clock_hints){0};
}
