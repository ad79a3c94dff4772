/* All lines that go below one set of points and above another: what certain evidence leaves possible of the offset
 * between two clocks.
 *
 * With z(x) the offset at reading x, an event of the first clock at u that is not after one of the second at v says
 * z(u) <= v - u, and one of the second at v that is not after one of the first at w says z(w) >= v - w. The slopes of
 * lines that satisfy all are an interval; for each of them so are the offsets. As functions of the slope the least
 * upper bound is concave, the greatest lower bound convex, so that extremes are found by search.
 *
 * Source: Duda, Harrus, Haddad, Bernard, Estimating global time in distributed systems, ICDCS 1987; Poirier, Roy,
 * Dagenais, Accurate offline synchronization of distributed traces using kernel-level events, 2010. */
#ifndef TM_ALIGN_CORRIDOR_H
#define TM_ALIGN_CORRIDOR_H

#include "align/hull.h"

/* Borrowed hulls, both settled. */
struct tm_corridor {
    const struct tm_hull *above;  /* z(x) <= y */
    const struct tm_hull *below;  /* the points negated: -z(x) <= y */
    bool is_possible;             /* else no line satisfies all */
    int64_t best_slope;           /* of the widest strip between the two sets; where it is one-sided 0 */
    int64_t slope_min, slope_max; /* of all lines that satisfy all, or the limit */
};

/* False where no line is possible. */
bool tm_corridor_find(struct tm_corridor *corridor, const struct tm_hull *above, const struct tm_hull *below);

/* What is possible at the reading X_NS, rounded outwards; TM_UNBOUNDED_*: no bound. The corridor is possible. */
int64_t tm_corridor_high(const struct tm_corridor *corridor, int64_t x_ns);
int64_t tm_corridor_low(const struct tm_corridor *corridor, int64_t x_ns);

/* The middle of the widest strip, for delays that are as short in one direction as in the other. Both sets have points.
 */
struct tm_line tm_corridor_middle(const struct tm_corridor *corridor, int64_t at_ns);

#endif
