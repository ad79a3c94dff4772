/* A straight line between two moments at which two clocks were read: the first read from[0] when the second read to[0],
 * and likewise [1], later. It goes on before and after them. A reading of the first becomes
 *
 *     t' = to[0] + round((t - from[0]) * (to[1] - to[0]) / (from[1] - from[0]))
 *
 * exactly, by products of 128 bits, and to the nearest nanosecond, halves up. So both moments come out as they are,
 * and a later time never before an earlier one. doc/clocks.md. */
#ifndef TM_CLOCKS_CLOCK_LINE_H
#define TM_CLOCKS_CLOCK_LINE_H

#include "os/compat.h"

/* Set up by init. */
struct tm_clock_line {
    int64_t first_ns, last_ns; /* readings that tm_clock_line_apply takes; none where first_ns > last_ns */
    /* private */
    int64_t from_ns;           /* from[0] */
    uint64_t width;            /* from[1] - from[0], above 0 */
    uint64_t rise;             /* how much more the second clock ran than the first, */
    bool falls;                /* or less */
    uint64_t base;             /* to[0] - from[0], modulo 2^64 */
    /* of the quick way: t + quick_base + ((t - from_ns) * slope + above) / width, the division by a product */
    uint64_t slope, above, quick_base, reciprocal;
};

/* The line through (FROM[0], TO[0]) and (FROM[1], TO[1]); FROM[0] < FROM[1] and TO[0] <= TO[1]. */
void tm_clock_line_init(struct tm_clock_line *line, const int64_t from[2], const int64_t to[2]);

/* Any reading T. False when the result is no int64. */
bool tm_clock_line_at(const struct tm_clock_line *line, int64_t t, int64_t *result);

/* The result for T from first_ns to last_ns, modulo 2^64. */
static inline int64_t tm_clock_line_apply(const struct tm_clock_line *line, int64_t t)
{
    uint64_t n = ((uint64_t)t - (uint64_t)line->from_ns) * line->slope + line->above;
    uint64_t q = (uint64_t)((tm_uwide)n * line->reciprocal >> 64); /* the quotient or one less */
    q += n - q * line->width >= line->width;
    return (int64_t)((uint64_t)t + line->quick_base + q);
}

/* Both clocks' rates differ by so much, in parts in 10^9 of the first's, rounded down; false when that is no int64. */
bool tm_clock_line_drift(const struct tm_clock_line *line, int64_t *ppb);

#endif
