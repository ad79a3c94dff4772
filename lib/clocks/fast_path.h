/* Runs of rows of a batch that are converted in the same way: counted events of one route, without inner times.
 * Nearly all rows are in such a run, so separate loops find and convert them. */
#ifndef TM_CLOCKS_FAST_PATH_H
#define TM_CLOCKS_FAST_PATH_H

#include "clocks/clock_route.h"
#include "stream/batch.h"

/* A flag that only tm-clocks uses, in pending rows: time_ns is already absolute nanoseconds. */
#define TM_ROW_IS_ABSOLUTE (UINT32_C(1) << 31)

/* A row with one of these flags is not on the fast path. */
#define TM_ROW_NOT_FAST                                                                                               \
    (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_DERIVED | TM_EVENT_INNER_TIMES | TM_ROW_IS_ABSOLUTE)

/* Rows [first, end) of a batch, and the lowest and highest of their times. */
struct tm_fast_rows {
    uint32_t first, end;
    int64_t low, high;
};

/* Returns the route key of row I. */
struct tm_route_key tm_row_route_key(const struct tm_batch *batch, uint32_t i);

/* Returns the rows from FIRST on, at most MAX, that have KEY, none of TM_ROW_NOT_FAST, and are neither synchronization
 * markers nor whole messages. Their times are not checked. The range is empty if row FIRST is no such row. */
struct tm_fast_rows tm_fast_rows_from(const struct tm_batch *batch, const struct tm_route_key *key, uint32_t first,
                                      uint32_t max);

/* Cuts ROWS before the first one for which ROUTE's step does not hold. */
void tm_fast_rows_cut(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route);

/* Counts ROWS, at least one, for ROUTE, and writes their times by its step to the column TIMES. If the step does not
 * hold for all of them, returns false and changes nothing. */
bool tm_fast_rows_convert(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                          uint8_t *times);

#endif
