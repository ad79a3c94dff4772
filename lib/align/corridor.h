/* All lines below one set of points and above another: the offsets between two clocks that certain evidence leaves
 * possible.
 *
 * z(x) is the offset at reading x. If an event of the first clock at u is not after one of the second at v, then z(u)
 * <= v - u. If one of the second at v is not after one of the first at w, then z(w) >= v - w. The slopes of the lines
 * that satisfy all constraints form an interval, and so do the offsets for each slope. As functions of the slope the
 * least upper bound is concave and the greatest lower bound is convex, so extremes are found by search.
 *
 * Source: Duda, Harrus, Haddad, Bernard, Estimating global time in distributed systems, ICDCS 1987; Poirier, Roy,
 * Dagenais, Accurate offline synchronization of distributed traces using kernel-level events, 2010. */
#ifndef TM_ALIGN_CORRIDOR_H
#define TM_ALIGN_CORRIDOR_H

#include "align/hull.h"

/* Hulls are borrowed and settled. */
struct tm_corridor {
    const struct tm_hull *above;  /* z(x) <= y */
    const struct tm_hull *below;  /* the points negated: -z(x) <= y */
    bool is_possible;             /* false: no line satisfies all */
    int64_t best_slope;           /* of the widest strip between the two sets; 0 if there is only one side */
    int64_t slope_min, slope_max; /* of all lines that satisfy all, or the limit */
};

/* Finds the lines between both hulls. False if no line is possible. */
bool tm_corridor_find(struct tm_corridor *corridor, const struct tm_hull *above, const struct tm_hull *below);

/* Return the greatest and the least possible offset at the reading X_NS, rounded outwards; TM_UNBOUNDED_*: no bound.
 * The corridor must be possible. */
int64_t tm_corridor_high(const struct tm_corridor *corridor, int64_t x_ns);
int64_t tm_corridor_low(const struct tm_corridor *corridor, int64_t x_ns);

/* Returns the middle of the widest strip. It is the estimate if delays are equally short in both directions. Both sets
 * must have points. */
struct tm_line tm_corridor_middle(const struct tm_corridor *corridor, int64_t at_ns);

#endif
