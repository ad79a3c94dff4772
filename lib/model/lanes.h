/* Lanes: what shares one row of a picture without overlapping. Events of one set that carry
 * different cookies (ids of asynchronous slices, uuids of sibling tracks with one name) are spread
 * over as few lanes as keep open cookies apart; each lane is a track. Memory grows with the number
 * of lanes that are open at one time. */
#ifndef TM_MODEL_LANES_H
#define TM_MODEL_LANES_H

#include "base/table.h"

/* Crossing slices beyond this many lanes of one set are refused. */
enum { TM_LANES_CROSSING_MAX = 1024 };

/* Zero-initialise. */
struct tm_lanes {
    /* private */
    struct tm_lane_set *sets;
    uint32_t set_count, set_cap;
    struct tm_table by_key, by_cookie;
};

/* What an event with a cookie does to it. */
enum tm_lane_event {
    TM_LANE_BEGIN,
    TM_LANE_BEGIN_ONCE, /* a second begin is none */
    TM_LANE_END,
    TM_LANE_INSTANT,
    TM_LANE_NONE /* it is about a track that has no lanes */
};

/* The number of the set that KEY means. */
enum tm_status tm_lanes_set(struct tm_lanes *lanes, const struct tm_key *key, uint32_t *set, struct tm_error *err);

/* The lane of COOKIE in SET: its own while it is open; else the one it had last, if no other took
 * it; else the first that is free. */
enum tm_status tm_lanes_cookie(struct tm_lanes *lanes, uint32_t set, uint64_t cookie, enum tm_lane_event event,
                               uint32_t *lane, struct tm_error *err);

/* True while begins outnumber ends on LANE. */
bool tm_lanes_is_open(const struct tm_lanes *lanes, uint32_t set, uint32_t lane);

/* The first lane of SET on which a slice from TS to END lies inside what is open or after it; TS
 * never goes back. TM_END with *LANE unset past TM_LANES_CROSSING_MAX. */
enum tm_status tm_lanes_crossing(struct tm_lanes *lanes, uint32_t set, int64_t ts, int64_t end, uint32_t *lane,
                                 struct tm_error *err);

void tm_lanes_release(struct tm_lanes *lanes);

#endif
