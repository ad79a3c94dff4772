#include "clocks/clock_line.h"

/* Products of the fast path, and the width, stay below this. */
#define QUICK_MAX (UINT64_C(1) << 61)

/* Finds the constant that makes all dividends positive and rounds quotients to the nearest integer: half a width, and
 * as many widths as make up for the least product. */
static void init_quick(struct tm_clock_line *line)
{
    uint64_t distance_max = line->rise ? (QUICK_MAX - 1) / line->rise : UINT64_MAX;
    line->first_ns = 1;
    line->last_ns = 0;
    if (line->rise >= QUICK_MAX || line->width >= QUICK_MAX)
        return;
    uint64_t widths = QUICK_MAX / line->width + 1;
    line->slope = line->falls ? 0 - line->rise : line->rise;
    line->above = line->width / 2 + widths * line->width;
    line->quick_base = line->base - widths;
    line->reciprocal = UINT64_MAX / line->width;
    uint64_t below = (uint64_t)line->from_ns - (uint64_t)INT64_MIN;
    uint64_t beyond = (uint64_t)INT64_MAX - (uint64_t)line->from_ns;
    line->first_ns = (int64_t)((uint64_t)line->from_ns - (distance_max < below ? distance_max : below));
    line->last_ns = (int64_t)((uint64_t)line->from_ns + (distance_max < beyond ? distance_max : beyond));
}

void tm_clock_line_init(struct tm_clock_line *line, const int64_t from[2], const int64_t to[2])
{
    uint64_t width = (uint64_t)from[1] - (uint64_t)from[0], height = (uint64_t)to[1] - (uint64_t)to[0];
    *line = (struct tm_clock_line){.from_ns = from[0], .width = width, .base = (uint64_t)to[0] - (uint64_t)from[0]};
    line->falls = height < width;
    line->rise = line->falls ? width - height : height - width;
    init_quick(line);
}

/* Sets *QUOTIENT to PRODUCT / WIDTH, rounded to the nearest integer, halves up. IS_BELOW: the product is negative.
 * False beyond 65 bits. */
static bool divide(tm_u128 product, uint64_t width, bool is_below, tm_i128 *quotient)
{
    tm_u128 q = product / width, rest = product % width;
    if (is_below ? rest > width - rest : rest >= width - rest)
        q++;
    if (q >> 65)
        return false;
    *quotient = is_below ? -(tm_i128)q : (tm_i128)q;
    return true;
}

bool tm_clock_line_at(const struct tm_clock_line *line, int64_t t, int64_t *result)
{
    bool is_before = t < line->from_ns;
    uint64_t distance = is_before ? (uint64_t)line->from_ns - (uint64_t)t : (uint64_t)t - (uint64_t)line->from_ns;
    tm_i128 change, sum;
    if (!divide((tm_u128)distance * line->rise, line->width, is_before != line->falls, &change))
        return false;
    /* base is to[0] - from[0] modulo 2^64, so adding it to from[0] gives to[0]. */
    int64_t to = (int64_t)((uint64_t)line->from_ns + line->base);
    sum = (tm_i128)t - line->from_ns + to + change;
    if (sum < INT64_MIN || sum > INT64_MAX)
        return false;
    *result = (int64_t)sum;
    return true;
}

bool tm_clock_line_drift(const struct tm_clock_line *line, int64_t *ppb)
{
    tm_u128 q = (tm_u128)line->rise * 1000000000 / line->width;
    bool is_rest = (tm_u128)line->rise * 1000000000 % line->width != 0;
    if (q >= INT64_MAX)
        return false;
    *ppb = line->falls ? -(int64_t)q - is_rest : (int64_t)q;
    return true;
}
