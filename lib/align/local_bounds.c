#include "align/local_bounds.h"

#include "base/order.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Each part has this share of the constraints, and at least WINDOW_MIN of each kind. */
enum { PART_SHARE = 4, WINDOW_MIN = 16 };

/* The neighbours of a constraint on one side that are compared with it. */
enum { NEIGHBOURS_MIN = 4, NEIGHBOURS_MAX = 64, NEIGHBOURS_SHARE = 32, WITNESSES = 8 };

/* Returns the COUNT constraints of one kind. */
static uint32_t count_kind(const struct tm_local_constraints *c, bool is_lower)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        n += c->all[i].is_lower == is_lower;
    return n;
}

/* Returns how far constraint I is from the line: above 0 the line is possible. */
static int64_t room(const struct tm_local_constraints *c, uint32_t i)
{
    int64_t at = tm_line_at(&c->line, c->all[i].x);
    tm_i128 room = c->all[i].is_lower ? (tm_i128)at - c->all[i].z : (tm_i128)c->all[i].z - at;
    return tm_clamp(room, TM_OFFSET_MAX);
}

static bool agrees(const struct tm_local_constraints *c, uint32_t i)
{
    if (c->consensus)
        return tm_consensus_agrees(c->consensus, &c->all[i]);
    return c->tolerance_ns == 0 || room(c, i) >= -c->tolerance_ns;
}

uint32_t tm_local_disagreeing(const struct tm_local_constraints *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->count; i++)
        n += !agrees(c, i);
    return n;
}

static enum tm_status add(struct tm_local_part *part, const struct tm_constraint *c)
{
    return c->is_lower ? tm_hull_add(&part->below, c->x, -c->z) : tm_hull_add(&part->above, c->x, c->z);
}

/* Adds the constraints of a kind around index MIDDLE to PART: their share, if there are as many. */
static enum tm_status add_kind(struct tm_local_part *part, const struct tm_local_constraints *c, uint32_t middle,
                               bool is_lower)
{
    uint32_t all = 0, before = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        bool counts = c->all[i].is_lower == is_lower && agrees(c, i);
        all += counts;
        before += counts && i < middle;
    }
    uint32_t wanted = all / PART_SHARE > WINDOW_MIN ? all / PART_SHARE : WINDOW_MIN, n = 0;
    uint32_t first = before > wanted / 2 ? before - wanted / 2 : 0;
    if (first + wanted > all)
        first = all > wanted ? all - wanted : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->all[i].is_lower != is_lower || !agrees(c, i))
            continue;
        if (n >= first && n < first + wanted && add(part, &c->all[i]) != TM_OK)
            return TM_E_SYSTEM;
        n++;
    }
    return TM_OK;
}

enum tm_status tm_local_parts_make(struct tm_local_part **parts, const struct tm_local_constraints *c)
{
    *parts = NULL;
    for (int lower = 0; lower < 2; lower++) {
        uint32_t n = count_kind(c, lower != 0);
        if ((n > 0 || c->count == 0) && n < TM_LOCAL_CONSTRAINTS_MIN)
            return TM_OK;
    }
    struct tm_local_part *made = calloc(TM_LOCAL_PARTS, sizeof *made);
    if (made == NULL)
        return TM_E_SYSTEM;
    *parts = made;
    for (uint32_t k = 0; k < TM_LOCAL_PARTS; k++) {
        uint32_t middle = (uint32_t)((uint64_t)c->count * (k + 1) / (TM_LOCAL_PARTS + 1));
        uint32_t end = (uint32_t)((uint64_t)c->count * (2 * k + 3) / (2 * (TM_LOCAL_PARTS + 1)));
        made[k].until = c->all[end].x;
        if (add_kind(&made[k], c, middle, false) != TM_OK || add_kind(&made[k], c, middle, true) != TM_OK)
            return TM_E_SYSTEM;
        tm_hull_settle(&made[k].above);
        tm_hull_settle(&made[k].below);
        (void)tm_corridor_find(&made[k].corridor, &made[k].above, &made[k].below);
    }
    return TM_OK;
}

const struct tm_corridor *tm_local_parts_at(const struct tm_local_part *parts, int64_t x_ns)
{
    uint32_t k = 0;
    while (k + 1 < TM_LOCAL_PARTS && x_ns >= parts[k].until)
        k++;
    return &parts[k].corridor;
}

void tm_local_parts_free(struct tm_local_part *parts)
{
    for (uint32_t k = 0; parts && k < TM_LOCAL_PARTS; k++) {
        tm_hull_release(&parts[k].above);
        tm_hull_release(&parts[k].below);
    }
    free(parts);
}

/* Compares by the reading of the second file. */
static int by_other_reading(const void *a, const void *b)
{
    const struct tm_constraint *p = a, *q = b;
    tm_i128 left = (tm_i128)p->x + p->z, right = (tm_i128)q->x + q->z;
    if (left != right)
        return left < right ? -1 : 1;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->is_lower - q->is_lower;
}

enum tm_status tm_local_turn(struct tm_local_constraints *c, struct tm_constraint **copy)
{
    *copy = malloc((c->count + 1) * sizeof **copy);
    if (*copy == NULL)
        return TM_E_SYSTEM;
    memcpy(*copy, c->all, c->count * sizeof **copy);
    qsort(*copy, c->count, sizeof **copy, by_other_reading);
    c->all = *copy;
    return TM_OK;
}

bool tm_local_is_testable(const struct tm_local_constraints *c)
{
    return count_kind(c, false) >= TM_LOCAL_TESTED_MIN && count_kind(c, true) >= TM_LOCAL_TESTED_MIN;
}

/* Returns by how much the offset can differ from the line between constraint I and the reading X_NS. */
static int64_t wander(const struct tm_local_constraints *c, uint32_t i, int64_t x_ns)
{
    int64_t slope = TM_SLOPE_LIMIT + (c->line.slope < 0 ? -c->line.slope : c->line.slope);
    tm_i128 run = x_ns > c->all[i].x ? (tm_i128)x_ns - c->all[i].x : (tm_i128)c->all[i].x - x_ns;
    return tm_clamp(run * slope >> TM_SLOPE_BITS, TM_OFFSET_MAX) + 1;
}

/* True if constraint I, which disagrees, is possible beside its neighbours on one side: the offset can get from them to
 * it. */
static bool is_supported(const struct tm_local_constraints *c, uint32_t i, bool before)
{
    uint32_t witnesses = 0;
    for (uint32_t k = i; witnesses < WITNESSES && (before ? k > 0 : k + 1 < c->count);) {
        k = before ? k - 1 : k + 1;
        if (c->all[k].is_lower == c->all[i].is_lower || !agrees(c, k))
            continue;
        witnesses++;
        if ((tm_i128)room(c, i) + room(c, k) + wander(c, k, c->all[i].x) < 0)
            return false;
    }
    return witnesses > 0;
}

bool tm_local_has_supported_violation(const struct tm_local_constraints *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (!agrees(c, i) && (is_supported(c, i, true) || is_supported(c, i, false)))
            return true;
    return false;
}

/* True if the bounds of both sides move together over PARTS parts: an upper bound falls where the lower one falls. By
 * Kendall's rank correlation, at two deviations. */
static bool moves_together(const struct tm_local_constraints *c, uint32_t parts)
{
    enum { PARTS_MAX = 32 };
    int64_t least[2][PARTS_MAX], sum = 0;
    for (uint32_t k = 0; k < parts; k++) {
        uint32_t first = (uint32_t)((uint64_t)c->count * k / parts),
                 last = (uint32_t)((uint64_t)c->count * (k + 1) / parts);
        least[0][k] = least[1][k] = INT64_MAX;
        for (uint32_t i = first; i < last; i++) {
            int64_t *of_kind = &least[c->all[i].is_lower][k];
            *of_kind = room(c, i) < *of_kind ? room(c, i) : *of_kind;
        }
        if (least[0][k] == INT64_MAX || least[1][k] == INT64_MAX)
            return false;
    }
    for (uint32_t a = 0; a < parts; a++)
        for (uint32_t b = a + 1; b < parts; b++) {
            int upper = (least[0][a] < least[0][b]) - (least[0][a] > least[0][b]);
            int lower = (least[1][a] < least[1][b]) - (least[1][a] > least[1][b]);
            sum += upper * lower;
        }
    int64_t variance_18 = (int64_t)parts * (parts - 1) * (2 * (int64_t)parts + 5);
    return sum < 0 && sum * sum * 18 > variance_18 * 4;
}

bool tm_local_is_uneven(const struct tm_local_constraints *c)
{
    enum { FEW = 8, MANY = 32, OF_PART = 12 };
    if (tm_local_has_supported_violation(c))
        return true;
    if (c->has_waits)
        return false;
    for (uint32_t parts = FEW; parts <= MANY && c->count >= parts * OF_PART; parts *= 2)
        if (moves_together(c, parts))
            return true;
    return false;
}

/* One side of a place in the order of the constraints, and a reading there. */
struct side {
    const struct tm_local_constraints *constraints;
    uint32_t index; /* constraints before it are on one side, it and those after it on the other */
    bool is_before;
    int64_t x_ns;
};

/* Collects the distances that the WANTED nearest constraints of a kind on SIDE leave to the line at its reading.
 * Returns how many there are. */
static uint32_t collect(const struct side *side, bool is_lower, uint32_t wanted, int64_t *values)
{
    const struct tm_local_constraints *c = side->constraints;
    uint32_t n = 0;
    for (uint32_t k = side->index; n < wanted && (side->is_before ? k > 0 : k < c->count);) {
        uint32_t at = side->is_before ? --k : k++;
        if (c->all[at].is_lower == is_lower)
            values[n++] = room(c, at) + wander(c, at, side->x_ns);
    }
    return n;
}

/* Widens BAND by what the nearest constraints on SIDE permit, WANTED of each kind. Those that contradict each other are
 * left out, the strictest first. */
static void widen(struct tm_band *band, const struct side *side, const uint32_t wanted[2])
{
    int64_t values[2][NEIGHBOURS_MAX];
    uint32_t at = 0;
    for (int lower = 0; lower < 2; lower++) {
        if (collect(side, lower != 0, wanted[lower], values[lower]) < wanted[lower])
            return;
        qsort(values[lower], wanted[lower], sizeof *values[lower], tm_order_i64);
    }
    while (at + 1 < wanted[0] && at + 1 < wanted[1] && values[0][at] + values[1][at] < 0)
        at++;
    band->high_ns = values[0][at] > band->high_ns ? values[0][at] : band->high_ns;
    band->low_ns = -values[1][at] < band->low_ns ? -values[1][at] : band->low_ns;
}

/* Widens BAND by constraint I, which disagrees, and the nearest one of the other kind. A step near an end of the
 * recording has few constraints on its other side. */
static void widen_by_violation(struct tm_band *band, const struct tm_local_constraints *c, uint32_t i)
{
    static const uint32_t nearest[2] = {1, 1};
    const struct side before = {c, i + 1, true, c->all[i].x}, after = {c, i, false, c->all[i].x};
    if (is_supported(c, i, true))
        widen(band, &before, nearest);
    if (is_supported(c, i, false))
        widen(band, &after, nearest);
}

struct tm_band tm_local_band(const struct tm_local_constraints *c, int64_t first_ns, int64_t last_ns)
{
    static const struct tm_band none = {TM_UNBOUNDED_LOW, TM_UNBOUNDED_HIGH};
    struct tm_band band = {INT64_MAX, INT64_MIN};
    uint32_t neighbours[2];
    for (int lower = 0; lower < 2; lower++) {
        uint32_t n = count_kind(c, lower != 0), wanted = n / NEIGHBOURS_SHARE;
        if (n < TM_LOCAL_CONSTRAINTS_MIN)
            return none;
        wanted = wanted < NEIGHBOURS_MIN ? NEIGHBOURS_MIN : wanted > NEIGHBOURS_MAX ? NEIGHBOURS_MAX : wanted;
        neighbours[lower] = wanted;
    }
    const struct side first = {c, 0, false, first_ns}, last = {c, c->count, true, last_ns};
    widen(&band, &first, neighbours);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct side before = {c, i, true, c->all[i].x}, after = {c, i + 1, false, c->all[i].x};
        widen(&band, &before, neighbours);
        widen(&band, &after, neighbours);
        if (!agrees(c, i))
            widen_by_violation(&band, c, i);
    }
    widen(&band, &last, neighbours);
    return band.low_ns > band.high_ns ? none : band;
}

/* Returns BOUND, or the strictest bound that the constraints of a kind on SIDE give for its reading if clocks drift by
 * at most the largest slope. Bounds are distances from the line. */
static int64_t bound_by(const struct side *side, bool is_lower, int64_t bound)
{
    const struct tm_local_constraints *c = side->constraints;
    int64_t slope = TM_SLOPE_LIMIT - (c->line.slope < 0 ? -c->line.slope : c->line.slope);
    for (uint32_t k = side->index; side->is_before ? k > 0 : k < c->count;) {
        uint32_t at = side->is_before ? --k : k++;
        tm_i128 run = side->is_before ? (tm_i128)side->x_ns - c->all[at].x : (tm_i128)c->all[at].x - side->x_ns;
        if (run * slope >> TM_SLOPE_BITS > bound) /* those farther away are no stricter */
            break;
        if (c->all[at].is_lower != is_lower || !agrees(c, at))
            continue;
        tm_i128 there = (tm_i128)room(c, at) + wander(c, at, side->x_ns);
        bound = there < bound ? (int64_t)there : bound;
    }
    return bound;
}

int64_t tm_local_bound(const struct tm_local_constraints *c, bool is_lower, int64_t x_ns, int64_t z_ns)
{
    uint32_t index = tm_search_i64(c->all, c->count, TM_SEARCH_FIELD(struct tm_constraint, x), x_ns);
    const struct side before = {c, index, true, x_ns}, after = {c, index, false, x_ns};
    int64_t line = tm_line_at(&c->line, x_ns);
    int64_t bound = tm_clamp(is_lower ? (tm_i128)line - z_ns : (tm_i128)z_ns - line, TM_OFFSET_MAX);
    int64_t by_before = bound_by(&before, is_lower, bound), by_after = bound_by(&after, is_lower, bound);
    bound = by_before > by_after ? by_before : by_after;
    return tm_clamp(is_lower ? (tm_i128)line - bound : (tm_i128)line + bound, TM_OFFSET_MAX);
}
