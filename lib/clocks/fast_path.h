/* Runs of rows of a batch that are converted in the same way: counted events of one route, without inner times, and
 * rows derived from them. Nearly all rows are in such a run, so separate loops find and convert them. */
#ifndef TM_CLOCKS_FAST_PATH_H
#define TM_CLOCKS_FAST_PATH_H

#include "clocks/clock_route.h"
#include "stream/batch.h"

/* A flag that only tm-clocks uses, in pending rows: time_ns is already absolute nanoseconds. */
#define TM_ROW_IS_ABSOLUTE (UINT32_C(1) << 31)

/* A row with one of these flags is not on the fast path. */
#define TM_ROW_NOT_FAST (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | TM_EVENT_INNER_TIMES | TM_ROW_IS_ABSOLUTE)

/* Rows [first, end) of a batch. */
struct tm_fast_rows {
    uint32_t first, end;
    uint32_t derived;  /* so many are not counted, because they are derived; each has the time of the row before it */
    int64_t latest_ns; /* the latest of their times, once they are converted */
};

/* Returns the route key of row I. */
struct tm_route_key tm_row_route_key(const struct tm_batch *batch, uint32_t i);

/* Rows that a run may have too. */
enum tm_fast_rows_taken {
    TM_FAST_ROWS_DERIVED = 1,
    TM_FAST_ROWS_ANY_SEQUENCE = 2 /* of any sequence, if the clock is not of one sequence (tm_clock_is_scoped) */
};

/* Returns the rows from FIRST on, at most MAX, that have KEY, none of TM_ROW_NOT_FAST, and are neither synchronization
 * markers, whole messages nor names of machines. Whether their times can be converted is not checked. TAKES are bits of
 * enum tm_fast_rows_taken. If row FIRST is derived, KEY's route must have placed the row before it. The range is empty
 * if row FIRST is no such row. */
struct tm_fast_rows tm_fast_rows_from(const struct tm_batch *batch, const struct tm_route_key *key, uint32_t first,
                                      uint32_t max, unsigned takes);

/* Counts ROWS, at least one, for ROUTE, and writes their times by its step to the column TIMES. If the step does not
 * hold for all of them, returns false and changes nothing. ROUTE's readings must be in nanoseconds. */
bool tm_fast_rows_convert(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                          uint8_t *times);

/* Does the same with the ROWS before the first for which ROUTE's step does not hold, and cuts ROWS there. */
void tm_fast_rows_convert_first(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_route *route,
                                uint8_t *times);

/* Does what tm_fast_rows_convert_first does, also on a clock whose readings are multiples of a unit, or counted from
 * the event before, if its unit is settled. ROWS follow a row that ROUTE has placed. ROUTE is one of REGISTRY. */
void tm_fast_rows_place(struct tm_fast_rows *rows, const struct tm_batch *batch, struct tm_clock_registry *registry,
                        struct tm_clock_route *route, uint8_t *times);

#endif
