/* A line over readings of a clock, in integers: the number to add to a reading, and its change. */
#ifndef TM_ALIGN_LINE_H
#define TM_ALIGN_LINE_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stdint.h>

/* Slopes are multiples of 2^-TM_SLOPE_BITS. A billionth is 17592 units. In 4.9 hours one unit adds up to a
 * nanosecond. */
enum { TM_SLOPE_BITS = 44 };

/* The largest slope between two clocks: 500 ppm. Oscillators of computers are within 100 ppm, and NTP slews a clock by
 * at most 500 ppm (RFC 5905, section 11.3). */
#define TM_SLOPE_LIMIT ((int64_t)((UINT64_C(1) << TM_SLOPE_BITS) / 2000))

/* Values for missing bounds. */
#define TM_UNBOUNDED_HIGH INT64_MAX
#define TM_UNBOUNDED_LOW INT64_MIN

/* Readings that are aligned: from 18 years before the start of trace time to 109 years after it (2079 on REALTIME). So
 * the differences of two of them, and of two such differences, fit 64 bits. */
#define TM_READING_MAX (INT64_C(3) << 60)
#define TM_READING_MIN (-TM_READING_MAX / 6)

/* The largest absolute offset. The sum of a reading and an offset fits 64 bits, and so does the difference of two
 * offsets. */
#define TM_OFFSET_MAX ((INT64_C(1) << 62) - 1)

/* Adds offset_ns at the reading at_ns, and slope * 2^-TM_SLOPE_BITS more for each nanosecond after it. */
struct tm_line {
    int64_t at_ns, offset_ns, slope;
};

/* Return SCALED / 2^TM_SLOPE_BITS, rounded down or up. */
static inline int64_t tm_slope_floor(tm_i128 scaled)
{
    return (int64_t)(scaled >> TM_SLOPE_BITS);
}

static inline int64_t tm_slope_ceil(tm_i128 scaled)
{
    return (int64_t) - (-scaled >> TM_SLOPE_BITS);
}

/* Returns V, limited to [-LIMIT, LIMIT]. */
static inline int64_t tm_clamp(tm_i128 v, int64_t limit)
{
    return v > limit ? limit : v < -limit ? -limit : (int64_t)v;
}

static inline bool tm_is_reading(int64_t ns)
{
    return ns >= TM_READING_MIN && ns <= TM_READING_MAX;
}

/* Returns the number that LINE adds at the reading X_NS, rounded to nearest and limited to TM_OFFSET_MAX in both
 * directions. */
static inline int64_t tm_line_at(const struct tm_line *line, int64_t x_ns)
{
    tm_i128 rise = (tm_i128)line->slope * ((tm_i128)x_ns - line->at_ns);
    return tm_clamp(line->offset_ns + ((rise + ((tm_i128)1 << (TM_SLOPE_BITS - 1))) >> TM_SLOPE_BITS), TM_OFFSET_MAX);
}

/* Returns the inverse of LINE, which starts from the readings that LINE leads to. */
static inline struct tm_line tm_line_inverse(const struct tm_line *line)
{
    tm_i128 one = (tm_i128)1 << TM_SLOPE_BITS;
    return (struct tm_line){.at_ns = tm_clamp((tm_i128)line->at_ns + line->offset_ns, INT64_MAX),
                            .offset_ns = -line->offset_ns,
                            .slope = (int64_t)(-(tm_i128)line->slope * one / (one + line->slope))};
}

/* Returns the line that adds what A and then B add. */
static inline struct tm_line tm_line_compose(const struct tm_line *a, const struct tm_line *b)
{
    struct tm_line sum = *a;
    int64_t through = tm_clamp((tm_i128)a->at_ns + a->offset_ns, INT64_MAX);
    sum.offset_ns = tm_clamp((tm_i128)a->offset_ns + tm_line_at(b, through), TM_OFFSET_MAX);
    sum.slope += b->slope + tm_slope_floor((tm_i128)a->slope * b->slope);
    return sum;
}

/* Convert a slope to billionths, rounded to nearest, and back. */
static inline int64_t tm_slope_ppb(int64_t slope)
{
    tm_i128 scaled = (tm_i128)slope * 1000000000;
    return (int64_t)((scaled + ((tm_i128)1 << (TM_SLOPE_BITS - 1))) >> TM_SLOPE_BITS);
}

static inline int64_t tm_slope_of_ppb(int64_t ppb)
{
    tm_i128 scaled = (tm_i128)ppb * ((tm_i128)2 << TM_SLOPE_BITS) + (ppb < 0 ? -1000000000 : 1000000000);
    return (int64_t)(scaled / 2000000000);
}

/* Returns the slope of RISE_NS over RUN_NS (not 0), within the limit. */
static inline int64_t tm_slope_of(tm_i128 rise_ns, tm_i128 run_ns)
{
    tm_i128 slope = rise_ns * ((tm_i128)1 << TM_SLOPE_BITS) / run_ns;
    return slope > TM_SLOPE_LIMIT ? TM_SLOPE_LIMIT : slope < -TM_SLOPE_LIMIT ? -TM_SLOPE_LIMIT : (int64_t)slope;
}

#endif
