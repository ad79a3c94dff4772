#include "align/corridor.h"

/* Returns the width of the strip of lines with slope S at the reading AT, times 2^TM_SLOPE_BITS. It is below 0 if there
 * is no such line. */
static tm_i128 width(const struct tm_corridor *c, int64_t s, int64_t at)
{
    return tm_hull_lowest(c->above, s, at) + tm_hull_lowest(c->below, -s, at);
}

/* Finds the argument in [LOW, HIGH] where F, a concave function, is greatest. */
#define SEARCH_MAX(low, high, f)                                                                                       \
    while ((high) - (low) > 2) {                                                                                       \
        int64_t third_ = ((high) - (low)) / 3, a_ = (low) + third_, b_ = (high)-third_;                                \
        if (f(a_) < f(b_))                                                                                             \
            (low) = a_;                                                                                                \
        else                                                                                                           \
            (high) = b_;                                                                                               \
    }

static int64_t find_best_slope(const struct tm_corridor *c, int64_t at)
{
    int64_t low = -TM_SLOPE_LIMIT, high = TM_SLOPE_LIMIT;
#define WIDTH(s) width(c, s, at)
    SEARCH_MAX(low, high, WIDTH)
    int64_t best = low;
    for (int64_t s = low + 1; s <= high; s++)
        if (WIDTH(s) > WIDTH(best))
            best = s;
    if (WIDTH(0) >= WIDTH(best))
        best = 0;
#undef WIDTH
    return best;
}

/* Searches from INSIDE, a possible slope, towards LIMIT for the last possible slope, and goes one step further. */
static int64_t find_edge(const struct tm_corridor *c, int64_t inside, int64_t limit, int64_t at)
{
    int64_t outside = limit;
    if (width(c, limit, at) >= 0)
        return limit;
    while (outside - inside > 1 || inside - outside > 1) {
        int64_t middle = inside + (outside - inside) / 2;
        if (width(c, middle, at) >= 0)
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

bool tm_corridor_find(struct tm_corridor *c, const struct tm_hull *above, const struct tm_hull *below)
{
    *c = (struct tm_corridor){
        .above = above, .below = below, .is_possible = true, .slope_min = -TM_SLOPE_LIMIT, .slope_max = TM_SLOPE_LIMIT};
    if (above->count == 0 || below->count == 0)
        return true;
    int64_t at = above->points[0].x;
    c->best_slope = find_best_slope(c, at);
    c->is_possible = width(c, c->best_slope, at) >= 0;
    if (c->is_possible) {
        c->slope_min = find_edge(c, c->best_slope, -TM_SLOPE_LIMIT, at);
        c->slope_max = find_edge(c, c->best_slope, TM_SLOPE_LIMIT, at);
    }
    return c->is_possible;
}

/* Returns the greatest value that HULL permits at X_NS over the slopes from LOW to HIGH. */
static tm_i128 greatest(const struct tm_hull *hull, int64_t low, int64_t high, int64_t x_ns)
{
#define LOWEST(s) tm_hull_lowest(hull, s, x_ns)
    SEARCH_MAX(low, high, LOWEST)
    tm_i128 best = LOWEST(low);
    for (int64_t s = low + 1; s <= high; s++)
        best = LOWEST(s) > best ? LOWEST(s) : best;
#undef LOWEST
    return best;
}

int64_t tm_corridor_high(const struct tm_corridor *c, int64_t x_ns)
{
    if (c->above->count == 0)
        return TM_UNBOUNDED_HIGH;
    return tm_slope_ceil(greatest(c->above, c->slope_min, c->slope_max, x_ns));
}

int64_t tm_corridor_low(const struct tm_corridor *c, int64_t x_ns)
{
    if (c->below->count == 0)
        return TM_UNBOUNDED_LOW;
    return -tm_slope_ceil(greatest(c->below, -c->slope_max, -c->slope_min, x_ns));
}

struct tm_line tm_corridor_middle(const struct tm_corridor *c, int64_t at_ns)
{
    tm_i128 high = tm_hull_lowest(c->above, c->best_slope, at_ns);
    tm_i128 low = -tm_hull_lowest(c->below, -c->best_slope, at_ns);
    return (struct tm_line){
        .at_ns = at_ns, .offset_ns = tm_slope_floor(low + (high - low) / 2), .slope = c->best_slope};
}
