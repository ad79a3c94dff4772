/* Whether complete slices nest on their track or cross. */
#ifndef TM_EMIT_PERFETTO_NESTING_H
#define TM_EMIT_PERFETTO_NESTING_H

#include "base/map.h"

/* Zero-initialise. Memory: the tracks there are, and the slices open on each at one time. */
struct tm_nesting {
    /* private */
    struct tm_nesting_lane {
        int64_t *open; /* where open slices end, the innermost last */
        uint32_t depth, cap;
    } *lanes;
    uint32_t count, cap;
    struct tm_map lane_of; /* uuid -> lane */
};

/* Slices come in the order of their starts. TM_OK: [START_NS, END_NS) nests on track UUID, which is not
 * 0, and is now open there; TM_END: it crosses one that is; TM_E_SYSTEM. */
enum tm_status tm_nesting_add(struct tm_nesting *nesting, uint64_t uuid, int64_t start_ns, int64_t end_ns);

void tm_nesting_release(struct tm_nesting *nesting);

#endif
