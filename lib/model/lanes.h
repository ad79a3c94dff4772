/* Lanes: tracks for slices that share one row of a picture and must not overlap. A set has events with different
 * cookies: ids of asynchronous slices, or uuids of sibling tracks with one name. The open cookies of a set are spread
 * over as few lanes as possible. Each lane is a track. Memory grows with the number of lanes that are open at one
 * time. */
#ifndef TM_MODEL_LANES_H
#define TM_MODEL_LANES_H

#include "base/table.h"

/* Crossing slices that would need more lanes in one set are refused. */
enum { TM_LANES_CROSSING_MAX = 1024 };

/* Zero-initialise. */
struct tm_lanes {
    /* private */
    struct tm_lane_set *sets;
    uint32_t set_count, set_cap;
    struct tm_table by_key, by_cookie;
};

/* The effect of an event on its cookie. */
enum tm_lane_effect {
    TM_LANE_BEGIN,
    TM_LANE_BEGIN_ONCE, /* a begin of an open cookie is ignored */
    TM_LANE_END,
    TM_LANE_INSTANT,
    TM_LANE_ALONE, /* its cookie gets a new lane for itself */
    TM_LANE_NONE /* the event's track has no lanes */
};

/* Sets *SET to the number of the set with KEY, which is made if it is new. TM_OK or TM_E_SYSTEM, as all functions below
 * that return a status, unless they state more. */
enum tm_status tm_lanes_set(struct tm_lanes *lanes, const struct tm_key *key, uint32_t *set, struct tm_error *err);

/* An event with a cookie. */
struct tm_lane_event {
    uint64_t cookie;
    enum tm_lane_effect effect;
};

/* A slice [TS, END), whose end is known when it begins. */
struct tm_lane_slice {
    uint64_t cookie;
    int64_t ts, end;
};

/* Sets *LANE for EVENT in SET. An open cookie stays on its lane. Otherwise it takes its last lane if that is free, or
 * else the first free lane. */
enum tm_status tm_lanes_cookie(struct tm_lanes *lanes, uint32_t set, struct tm_lane_event event, uint32_t *lane,
                               struct tm_error *err);

/* Sets *LANE as tm_lanes_cookie does, for the begin of SLICE. The starts of slices never decrease. */
enum tm_status tm_lanes_complete(struct tm_lanes *lanes, uint32_t set, struct tm_lane_slice slice, uint32_t *lane,
                                 struct tm_error *err);

/* Sets *LANE to the first lane of SET, whose slices have no cookies, on which all slices have ended when SLICE starts.
 * TM_END, with *LANE unset, beyond TM_LANES_CROSSING_MAX lanes. */
enum tm_status tm_lanes_first_free(struct tm_lanes *lanes, uint32_t set, struct tm_lane_slice slice, uint32_t *lane,
                                   struct tm_error *err);

/* True while LANE has more begins than ends. */
bool tm_lanes_is_open(const struct tm_lanes *lanes, uint32_t set, uint32_t lane);

/* Sets *LANE to the first lane of SET, whose slices have no cookies, on which SLICE lies inside the open slices or
 * after them. The starts of slices never decrease. TM_END, with *LANE unset, beyond TM_LANES_CROSSING_MAX lanes. */
enum tm_status tm_lanes_crossing(struct tm_lanes *lanes, uint32_t set, struct tm_lane_slice slice, uint32_t *lane,
                                 struct tm_error *err);

void tm_lanes_release(struct tm_lanes *lanes);

#endif
