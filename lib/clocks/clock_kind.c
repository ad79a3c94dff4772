#include "clocks/clock_kind.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MIN_NS INT64_C(1000000000)

enum tm_placement_rule tm_edge_origin_rule(enum tm_edge_origin origin)
{
    static const enum tm_placement_rule rules[] = {
        [TM_EDGE_SNAPSHOT] = TM_RULE_SNAPSHOT,       [TM_EDGE_MANIFEST] = TM_RULE_MANIFEST,
        [TM_EDGE_HINT] = TM_RULE_HINT,               [TM_EDGE_SAME_DOMAIN_OF_FILE] = TM_RULE_SAME_DOMAIN,
        [TM_EDGE_RENDEZVOUS] = TM_RULE_RENDEZVOUS,   [TM_EDGE_SAME_DOMAIN] = TM_RULE_SAME_DOMAIN,
        [TM_EDGE_PRIVATE] = TM_RULE_PRIVATE,
    };
    return rules[origin];
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

/* Allocates the arrays that only some kinds need, with room for as many rows as the other arrays. */
static enum tm_status grow_extras(struct tm_clock_kind *kind, bool joins, bool floors)
{
    bool *j = joins ? realloc(kind->joins, kind->cap) : NULL;
    if (j)
        kind->joins = j;
    int64_t *f = floors ? realloc(kind->floors, (size_t)kind->cap * kind->width * sizeof *f) : NULL;
    if (f)
        kind->floors = f;
    return (joins && !j) || (floors && !f) ? TM_E_SYSTEM : TM_OK;
}

/* Makes the readings of the last row floors: no earlier row counts as later than it. */
static void lower_floors(struct tm_clock_kind *kind)
{
    const int64_t *last = kind->readings + (size_t)(kind->count - 1) * kind->width;
    for (uint32_t i = 0; i < kind->width; i++) {
        uint32_t row = kind->count - 1;
        kind->floors[(size_t)row * kind->width + i] = last[i];
        while (row-- > 0 && kind->floors[(size_t)row * kind->width + i] > last[i])
            kind->floors[(size_t)row * kind->width + i] = last[i];
    }
}

enum tm_status tm_clock_kind_join(struct tm_clock_kind *kind)
{
    if (kind->joins == NULL) {
        if (grow_extras(kind, true, false) != TM_OK)
            return TM_E_SYSTEM;
        memset(kind->joins, 0, kind->count);
    }
    kind->joins[kind->count - 1] = true;
    return TM_OK;
}

enum tm_status tm_clock_kind_allow_decrease(struct tm_clock_kind *kind)
{
    if (kind->floors)
        return TM_OK;
    if (grow_extras(kind, false, true) != TM_OK)
        return TM_E_SYSTEM;
    memcpy(kind->floors, kind->readings, (size_t)kind->count * kind->width * sizeof *kind->floors);
    lower_floors(kind);
    return TM_OK;
}

enum tm_status tm_clock_kind_add(struct tm_clock_kind *kind, const int64_t *readings, uint32_t snapshot,
                                 enum tm_edge_origin origin)
{
    if (kind->count == kind->cap &&
        (grow(kind) != TM_OK || grow_extras(kind, kind->joins != NULL, kind->floors != NULL) != TM_OK))
        return TM_E_SYSTEM;
    memcpy(kind->readings + (size_t)kind->count * kind->width, readings, kind->width * sizeof *readings);
    kind->snapshots[kind->count] = snapshot;
    kind->origins[kind->count] = (uint8_t)origin;
    kind->count++;
    if (kind->joins)
        kind->joins[kind->count - 1] = false;
    if (kind->floors)
        lower_floors(kind);
    return TM_OK;
}

static bool is_joined(const struct tm_clock_kind *kind, uint32_t row, bool all)
{
    if (row == 0 || row >= kind->count)
        return false;
    return (kind->joins && kind->joins[row]) ||
           (all && kind->origins[row] == TM_EDGE_SNAPSHOT && kind->origins[row - 1] == TM_EDGE_SNAPSHOT);
}

/* Sets *LINE to the line from row ENDS[0] to row ENDS[1]. False unless the first clock advances and the second does not
 * run backwards. */
static bool line_between(const struct tm_clock_kind *kind, const struct tm_kind_hop *hop, const uint32_t ends[2],
                         struct tm_clock_line *line)
{
    int64_t a[2], b[2];
    for (int i = 0; i < 2; i++) {
        a[i] = tm_clock_kind_reading(kind, ends[i], hop->from);
        b[i] = tm_clock_kind_reading(kind, ends[i], hop->to);
    }
    if (a[0] >= a[1] || b[0] > b[1])
        return false;
    tm_clock_line_init(line, a, b);
    return true;
}

/* Returns the row at the other end of a line through the row of HOP. IS_BEFORE: for times before the first row; else
 * for times after the row of HOP. */
static uint32_t other_end(const struct tm_clock_kind *kind, const struct tm_kind_hop *hop, bool is_before)
{
    int64_t at = tm_clock_kind_reading(kind, hop->row, hop->from), far_ns;
    if (!is_before)
        return tm_sub_i64(at, LINE_MIN_NS, &far_ns) ? tm_clock_kind_row(kind, hop->from, far_ns) : 0;
    if (!tm_add_i64(at, LINE_MIN_NS - 1, &far_ns))
        return kind->count - 1;
    uint32_t row = tm_clock_kind_row(kind, hop->from, far_ns) + 1;
    return row < kind->count ? row : kind->count - 1;
}

bool tm_clock_kind_line(const struct tm_clock_kind *kind, const struct tm_kind_hop *hop, bool all,
                        struct tm_clock_line *line, uint32_t ends[2])
{
    uint32_t row = hop->row;
    bool is_before = hop->ns < tm_clock_kind_reading(kind, row, hop->from);
    ends[0] = row;
    ends[1] = row + 1;
    if (!is_before && is_joined(kind, row + 1, all) && line_between(kind, hop, ends, line))
        return true;
    bool is_snapshot = all && kind->origins[row] == TM_EDGE_SNAPSHOT;
    uint32_t far = is_snapshot ? other_end(kind, hop, is_before) : row;
    if (far != row && kind->origins[far] == TM_EDGE_SNAPSHOT) {
        ends[0] = is_before ? row : far;
        ends[1] = is_before ? far : row;
        if (line_between(kind, hop, ends, line))
            return true;
    }
    ends[0] = is_before ? row : row - 1;
    ends[1] = ends[0] + 1;
    return is_joined(kind, ends[1], all) && line_between(kind, hop, ends, line);
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
    uint32_t low = 0, high = kind->count; /* invariant: rows below low read at most ns, rows from high on read more */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tm_clock_kind_floor(kind, middle, column) <= ns)
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
    free(kind->joins);
    free(kind->floors);
    free(kind->last);
    free(kind->has_last);
    *kind = (struct tm_clock_kind){0};
}
