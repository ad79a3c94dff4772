/* Lanes for slices that cross: each slice goes to the first lane on which it lies inside the open slices or after them.
 * The time for a slice grows with the logarithm of the number of lanes. Memory grows with the slices that are open at
 * one time. */
#ifndef TM_MODEL_CROSSING_LANES_H
#define TM_MODEL_CROSSING_LANES_H

#include "base/status.h"

#include <stdint.h>

/* Zero-initialise. */
struct tm_crossing_lanes {
    /* private */
    struct tm_crossing_lane *lanes;
    struct tm_crossing_span *tree; /* a binary heap's layout: node 1 is the root, node cap + i is lane i */
    uint32_t cap;                  /* a power of two, or 0 */
};

/* Sets *LANE for the slice [START_NS, END_NS). Starts never decrease. TM_OK. TM_END: it crosses a slice on each of
 * MAX lanes, and *LANE is not set. TM_E_SYSTEM: no memory. */
enum tm_status tm_crossing_lanes_add(struct tm_crossing_lanes *set, uint32_t max, int64_t start_ns, int64_t end_ns,
                                     uint32_t *lane);

void tm_crossing_lanes_release(struct tm_crossing_lanes *set);

#endif
