/* Converts the time of one event to trace time. This part of the batch placer knows nothing of columns. */
#ifndef TM_CLOCKS_ROW_CONVERTER_H
#define TM_CLOCKS_ROW_CONVERTER_H

#include "clocks/clock_route.h"

/* A recorded time, and its conversion. */
struct tm_row_time {
    int64_t value;      /* in: reading of the route's clock */
    bool is_absolute;   /* in: value is absolute nanoseconds already; out: absolute_ns is set */
    bool is_counted;    /* in: true for an event that accounts count; false for a definition or a part of an event */
    bool has_weight;    /* in: false for what no record counts: inner times, and messages of several events */
    bool is_inner;      /* in: it is inside of an event */
    int64_t absolute_ns; /* out: nanoseconds of the source clock */
    int64_t time_ns;    /* out: trace time, for TM_RESULT_PLACED */
};

/* Converts TIME on ROUTE, and counts a placed event for its record. The first event of a file places it; ROUTE is
 * looked up again if this changes it. An inner time places no file, because not every output needs it. TM_OK with
 * *RESULT set, or an error. */
enum tm_status tm_row_convert(struct tm_clock_routes *routes, struct tm_clock_route *route, struct tm_row_time *time,
                              enum tm_row_result *result, struct tm_error *err);

/* True, with *TIME_NS set, if ROUTE's step holds for NS. This is so for nearly every event. */
static inline bool tm_row_convert_again(struct tm_clock_route *route, int64_t ns, int64_t *time_ns)
{
    *time_ns = tm_step_apply(&route->step, ns);
    return ns >= route->step.first_ns && ns <= route->step.last_ns && *time_ns >= 0;
}

/* Counts an event that ROUTE's step has placed. */
static inline void tm_row_count(struct tm_clock_route *route, int64_t ns)
{
    struct tm_placed_run *run = &route->run;
    if (!route->has_events || ns < run->low_ns)
        run->low_ns = ns;
    if (!route->has_events || ns > run->high_ns)
        run->high_ns = ns;
    route->has_events = true;
    run->count++;
}

#endif
