/* Stretches of a batch whose rows become trace time in the same way: counted events of one route, without inner times.
 * Nearly all rows are in one, so they are looked at and converted in loops of their own. */
#ifndef TM_CLOCKS_FAST_PATH_H
#define TM_CLOCKS_FAST_PATH_H

#include "clocks/clock_route.h"
#include "stream/batch.h"

/* A flag of tm-clocks' own in rows that wait: time_ns is absolute nanoseconds already. */
#define TM_ROW_IS_ABSOLUTE (UINT32_C(1) << 31)

/* A row with one of these is not plain. */
#define TM_ROW_NOT_FAST                                                                                               \
    (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES | TM_ROW_IS_ABSOLUTE)

/* Rows [first, end) of a batch, and the lowest and highest of their times. */
struct tm_fast_rows {
    uint32_t first, end;
    int64_t low, high;
};

/* What row I says of its route. */
struct tm_route_key tm_row_route_key(const struct tm_batch *batch, uint32_t i);

/* The plain rows from FIRST on that have KEY and are neither synchronization markers nor whole messages, MAX at most;
 * their times are not looked at. None where row FIRST is no such row. */
struct tm_fast_rows tm_fast_rows_from(const struct tm_batch *batch, const struct tm_route_key *key, uint32_t first,
                                      uint32_t max);

/* ROWS end before the first for which ROUTE's step does not hold. */
void tm_fast_rows_cut(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route);

/* Counts ROWS, at least one, for ROUTE and puts their times by its step into the column TIMES. False, and nothing has
 * happened, where the step does not hold for all of them. */
bool tm_fast_rows_convert(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                          uint8_t *times);

#endif
