/* A line over readings of a clock, in integers: what is to be added to a reading, and how that changes. */
#ifndef TM_ALIGN_LINE_H
#define TM_ALIGN_LINE_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 tm_i128;

/* Slopes are whole multiples of 2^-TM_SLOPE_BITS: a billionth of a billionth is 18 of them, and over 200 days of
 * nanoseconds one of them is a thousandth of one. */
enum { TM_SLOPE_BITS = 44 };

/* The largest slope that two clocks are believed to have against each other: 500 ppm. Oscillators of computers are
 * within 100 ppm, and NTP slews a clock by at most 500 ppm (RFC 5905, section 11.3). */
#define TM_SLOPE_LIMIT ((int64_t)((UINT64_C(1) << TM_SLOPE_BITS) / 2000))

/* Bounds that are not there. */
#define TM_UNBOUNDED_HIGH INT64_MAX
#define TM_UNBOUNDED_LOW INT64_MIN

/* Adds offset_ns at the reading at_ns, and slope * 2^-TM_SLOPE_BITS a nanosecond more from there on. */
struct tm_line {
    int64_t at_ns, offset_ns, slope;
};

/* A / 2^TM_SLOPE_BITS, rounded down or up. */
static inline int64_t tm_slope_floor(tm_i128 scaled)
{
    return (int64_t)(scaled >> TM_SLOPE_BITS);
}

static inline int64_t tm_slope_ceil(tm_i128 scaled)
{
    return (int64_t) - (-scaled >> TM_SLOPE_BITS);
}

/* What LINE adds at the reading X_NS, rounded to nearest. */
static inline int64_t tm_line_at(const struct tm_line *line, int64_t x_ns)
{
    tm_i128 rise = (tm_i128)line->slope * ((tm_i128)x_ns - line->at_ns);
    return line->offset_ns + (int64_t)((rise + ((tm_i128)1 << (TM_SLOPE_BITS - 1))) >> TM_SLOPE_BITS);
}

/* A slope in billionths, rounded to nearest, and back. */
static inline int64_t tm_slope_ppb(int64_t slope)
{
    tm_i128 scaled = (tm_i128)slope * 1000000000;
    return (int64_t)((scaled + ((tm_i128)1 << (TM_SLOPE_BITS - 1))) >> TM_SLOPE_BITS);
}

static inline int64_t tm_slope_of_ppb(int64_t ppb)
{
    tm_i128 scaled = ((tm_i128)ppb << TM_SLOPE_BITS) * 2 + (ppb < 0 ? -1000000000 : 1000000000);
    return (int64_t)(scaled / 2000000000);
}

/* The slope of RISE_NS over RUN_NS (not 0), within the limit. */
static inline int64_t tm_slope_of(int64_t rise_ns, int64_t run_ns)
{
    tm_i128 slope = ((tm_i128)rise_ns << TM_SLOPE_BITS) / run_ns;
    return slope > TM_SLOPE_LIMIT ? TM_SLOPE_LIMIT : slope < -TM_SLOPE_LIMIT ? -TM_SLOPE_LIMIT : (int64_t)slope;
}

#endif
