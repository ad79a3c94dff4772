/* The line that offsets of matched events scatter about: robust, in integers.
 *
 * Each sample is the difference of two readings, of the ends of a collective on two ranks, say. How late a rank leaves
 * depends on when it came: who comes last need not be woken. So samples are grouped by the orders in which the two
 * came, and a group and its mirror (first and third, third and first) are moved against each other until their medians
 * agree: what was between them was delay, not offset. Then a line is fitted by weighted least squares, where what lies
 * farther from it than 1.5 median deviations weighs less (Huber 1964). */
#ifndef TM_ALIGN_TREND_H
#define TM_ALIGN_TREND_H

#include "align/line.h"
#include "base/status.h"

enum { TM_TREND_ORDERS = 8 };

struct tm_sample {
    int64_t x, y;
    uint8_t order,
        other_order; /* below TM_TREND_ORDERS: how many of the group came before the one, and before the other */
};

/* Fits *LINE to COUNT (at least one) samples, which are changed. *DEVIATION_NS: the median distance from it. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_trend_find(struct tm_line *line, int64_t *deviation_ns, struct tm_sample *samples, uint32_t count,
                             struct tm_error *err);

#endif
