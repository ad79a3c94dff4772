/* Fits a line to the offsets of matched events, robustly and in integers.
 *
 * Each sample is the difference of two readings, for example of the ends of a collective on two ranks. A rank's delay
 * in leaving depends on its order of arrival: the last one need not be woken. So samples are grouped by the orders in
 * which the two arrived. A group and its mirror (first and third, third and first) are moved against each other until
 * their medians agree, since their difference is delay, not offset. Then weighted least squares fit a line; samples
 * farther from it than 1.5 median deviations weigh less (Huber 1964). */
#ifndef TM_ALIGN_TREND_H
#define TM_ALIGN_TREND_H

#include "align/line.h"
#include "base/status.h"

enum { TM_TREND_ORDERS = 8 };

struct tm_sample {
    int64_t x, y;
    uint8_t order,
        other_order; /* below TM_TREND_ORDERS: number of members before the first event, and before the second */
};

/* Fits *LINE to COUNT (at least one) samples and changes these. *DEVIATION_NS: the median distance from the line. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_trend_find(struct tm_line *line, int64_t *deviation_ns, struct tm_sample *samples, uint32_t count,
                             struct tm_error *err);

#endif
