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

struct tm_trend {
    struct tm_line line;  /* its at_ns is in the middle of the samples that count most */
    uint32_t count;       /* of the samples */
    int64_t deviation_ns; /* the median distance from the line; if groups differ, that with which COUNT samples of one
                             group would be as exact */
    tm_i128 square_run;   /* the mean square of the samples' distances from at_ns, in ns^2 */
};

/* Fits TREND to COUNT (at least one) samples and changes these. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_trend_find(struct tm_trend *trend, struct tm_sample *samples, uint32_t count, struct tm_error *err);

/* Returns the variance of TREND's offset at the reading X_NS in ns^2, from that of the offset in the middle and that of
 * the slope. It is meaningless for one or two samples, because a line passes through them. */
tm_i128 tm_trend_variance(const struct tm_trend *trend, int64_t x_ns);

#endif
