/* Points that a line must not be above, of which only the lower convex hull is kept: the others say nothing more.
 *
 * Exact: products have 128 bits. A hull of more than TM_HULL_POINTS_MAX vertices gives up every second one, which only
 * loosens what it says. */
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
    struct tm_point *points; /* after settle the vertices, by x */
    uint32_t count;
    /* private */
    uint32_t cap, settled;
};

/* TM_OK or TM_E_SYSTEM. */
enum tm_status tm_hull_add(struct tm_hull *hull, int64_t x, int64_t y);

/* Forgets all points and keeps the memory. */
void tm_hull_clear(struct tm_hull *hull);

/* Leaves the vertices alone. */
void tm_hull_settle(struct tm_hull *hull);

/* min over the points of (y + slope * (x_ns - x)), times 2^TM_SLOPE_BITS: the highest that a line of SLOPE may be at
 * X_NS. The hull is settled and has points. */
tm_i128 tm_hull_lowest(const struct tm_hull *hull, int64_t slope, int64_t x_ns);

void tm_hull_release(struct tm_hull *hull);

#endif
