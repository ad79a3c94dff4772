#include "clocks/clock_kind.h"

#include <stdlib.h>
#include <string.h>

const char *tm_edge_origin_name(enum tm_edge_origin origin)
{
    static const char *const names[] = {
        [TM_EDGE_SNAPSHOT] = "snapshot",       [TM_EDGE_MANIFEST] = "manifest",
        [TM_EDGE_HINT] = "hint",               [TM_EDGE_TWIN] = "same_domain",
        [TM_EDGE_RENDEZVOUS] = "rendezvous",   [TM_EDGE_SAME_DOMAIN] = "same_domain",
        [TM_EDGE_PRIVATE] = "private",
    };
    return names[origin];
}

enum tm_status tm_clock_kind_init(struct tm_clock_kind *kind, const uint32_t *clocks, uint32_t width)
{
    *kind = (struct tm_clock_kind){.width = width, .via_hops = UINT8_MAX};
    kind->clocks = malloc(width * sizeof *kind->clocks);
    kind->last = calloc(width, sizeof *kind->last);
    kind->has_last = calloc(width, sizeof *kind->has_last);
    if (kind->clocks == NULL || kind->last == NULL || kind->has_last == NULL)
        return TM_E_SYSTEM;
    memcpy(kind->clocks, clocks, width * sizeof *clocks);
    return TM_OK;
}

static enum tm_status grow(struct tm_clock_kind *kind)
{
    uint32_t cap = kind->cap ? kind->cap * 2 : 1;
    int64_t *readings = realloc(kind->readings, (size_t)cap * kind->width * sizeof *readings);
    if (readings == NULL)
        return TM_E_SYSTEM;
    kind->readings = readings;
    uint32_t *snapshots = realloc(kind->snapshots, cap * sizeof *snapshots);
    if (snapshots == NULL)
        return TM_E_SYSTEM;
    kind->snapshots = snapshots;
    uint8_t *origins = realloc(kind->origins, cap);
    if (origins == NULL)
        return TM_E_SYSTEM;
    kind->origins = origins;
    kind->cap = cap;
    return TM_OK;
}

enum tm_status tm_clock_kind_add(struct tm_clock_kind *kind, const int64_t *readings, uint32_t snapshot,
                                 enum tm_edge_origin origin)
{
    if (kind->count == kind->cap && grow(kind) != TM_OK)
        return TM_E_SYSTEM;
    memcpy(kind->readings + (size_t)kind->count * kind->width, readings, kind->width * sizeof *readings);
    kind->snapshots[kind->count] = snapshot;
    kind->origins[kind->count] = (uint8_t)origin;
    kind->count++;
    return TM_OK;
}

uint32_t tm_clock_kind_column(const struct tm_clock_kind *kind, uint32_t clock)
{
    uint32_t column = 0;
    while (column + 1 < kind->width && kind->clocks[column] != clock)
        column++;
    return column;
}

uint32_t tm_clock_kind_row(const struct tm_clock_kind *kind, uint32_t column, int64_t ns)
{
    uint32_t low = 0, high = kind->count; /* rows below low read at most ns, rows from high on more */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tm_clock_kind_reading(kind, middle, column) <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

void tm_clock_kind_release(struct tm_clock_kind *kind)
{
    free(kind->clocks);
    free(kind->readings);
    free(kind->snapshots);
    free(kind->origins);
    free(kind->last);
    free(kind->has_last);
    *kind = (struct tm_clock_kind){0};
}
