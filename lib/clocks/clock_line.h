/* A straight line through two instants at which two clocks were read. The first clock read from[0] when the second read
 * to[0], and later from[1] when it read to[1]. The line goes on before and after them. A reading t of the first clock
 * becomes
 *
 *     t' = to[0] + round((t - from[0]) * (to[1] - to[0]) / (from[1] - from[0]))
 *
 * Products have 128 bits. So the result is the exact value, rounded to the nearest nanosecond, halves up. Both instants
 * are therefore converted exactly, and a later time never gives an earlier result. See doc/clocks.md. */
#ifndef TM_CLOCKS_CLOCK_LINE_H
#define TM_CLOCKS_CLOCK_LINE_H

#include "base/cpu.h"

/* Set up by init. */
struct tm_clock_line {
    int64_t first_ns, last_ns; /* readings that tm_clock_line_apply can convert; none if first_ns > last_ns */
    /* private */
    int64_t from_ns;           /* from[0] */
    uint64_t width;            /* from[1] - from[0], above 0 */
    uint64_t rise;             /* |to[1] - to[0] - width|: how much the second clock gained on the first */
    bool falls;                /* the second clock lost instead */
    uint64_t base;             /* to[0] - from[0], modulo 2^64 */
    /* the fast path computes t + quick_base + ((t - from_ns) * slope + above) / width; it divides by multiplying with
     * reciprocal */
    uint64_t slope, above, quick_base, reciprocal;
};

/* Initialises the line through (FROM[0], TO[0]) and (FROM[1], TO[1]). FROM[0] < FROM[1] and TO[0] <= TO[1]. */
void tm_clock_line_init(struct tm_clock_line *line, const int64_t from[2], const int64_t to[2]);

/* Converts any reading T. False if the result is no int64. */
bool tm_clock_line_at(const struct tm_clock_line *line, int64_t t, int64_t *result);

/* Returns the result, modulo 2^64, for T from first_ns to last_ns. */
static inline int64_t tm_clock_line_apply(const struct tm_clock_line *line, int64_t t)
{
    uint64_t n = ((uint64_t)t - (uint64_t)line->from_ns) * line->slope + line->above;
    uint64_t q = (uint64_t)((tm_u128)n * line->reciprocal >> 64); /* the quotient or one less */
    q += n - q * line->width >= line->width;
    return (int64_t)((uint64_t)t + line->quick_base + q);
}

/* Sets the difference between the rates of both clocks, in parts in 10^9 of the first's rate, rounded down. False if it
 * is no int64. */
bool tm_clock_line_drift(const struct tm_clock_line *line, int64_t *ppb);

#endif
