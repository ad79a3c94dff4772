/* Points that a line must not be above. Only their lower convex hull is kept, since the other points add no constraint.
 *
 * Products have 128 bits, so results are exact. A hull of more than TM_HULL_POINTS_MAX vertices drops every second one,
 * which only loosens the constraints. */
#ifndef TM_ALIGN_HULL_H
#define TM_ALIGN_HULL_H

#include "align/line.h"
#include "base/status.h"

enum { TM_HULL_POINTS_MAX = 512 };

struct tm_point {
    int64_t x, y;
};

/* Zero-initialise. */
struct tm_hull {
    struct tm_point *points; /* after settle: the vertices by x */
    uint32_t count;
    /* private */
    uint32_t cap, settled;
};

/* Adds a point. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hull_add(struct tm_hull *hull, int64_t x, int64_t y);

/* Removes all points and keeps the memory. */
void tm_hull_clear(struct tm_hull *hull);

/* Removes all points that are not vertices. */
void tm_hull_settle(struct tm_hull *hull);

/* Returns the upper limit of a line with SLOPE at X_NS, times 2^TM_SLOPE_BITS: the minimum of y + slope * (x_ns - x)
 * over the points. The hull must be settled and have points. */
tm_i128 tm_hull_lowest(const struct tm_hull *hull, int64_t slope, int64_t x_ns);

void tm_hull_release(struct tm_hull *hull);

#endif
