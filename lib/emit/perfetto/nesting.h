/* Decides whether complete slices nest on their track or cross, and on which further lane they nest. */
#ifndef TM_EMIT_PERFETTO_NESTING_H
#define TM_EMIT_PERFETTO_NESTING_H

#include "emit/perfetto/track_numbers.h"
#include "model/crossing_lanes.h"

/* number of further lanes of a track */
enum { TM_NESTING_LANES_MAX = 1023 };

/* Zero-initialise. Memory: all tracks, and the slices open on each at one time. */
struct tm_nesting {
    /* private */
    struct tm_nesting_lane {
        int64_t *open; /* ends of the open slices, the innermost last */
        uint32_t depth, cap;
    } *lanes; /* by the number of their track */
    uint32_t cap;
    struct tm_track_numbers tracks;
    struct tm_crossing_lanes *further;
    uint32_t further_count, further_cap;
    struct tm_map further_of; /* uuid -> further */
};

/* Slices come in the order of their starts. TM_OK: [START_NS, END_NS) nests on track UUID, which is not 0, and is open
 * there now; TM_END: it crosses an open slice; TM_E_SYSTEM. */
enum tm_status tm_nesting_add(struct tm_nesting *nesting, uint64_t uuid, int64_t start_ns, int64_t end_ns);

/* Sets *LANE, from 1, to the first further lane of track or thread UUID on which [START_NS, END_NS) nests, and opens it
 * there. If it crosses a slice on each lane, it gets the last one. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_nesting_further(struct tm_nesting *nesting, uint64_t uuid, int64_t start_ns, int64_t end_ns,
                                  uint32_t *lane);

void tm_nesting_release(struct tm_nesting *nesting);

#endif
