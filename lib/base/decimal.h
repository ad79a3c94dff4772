/* Decimal text to integers, exactly: no double, no locale. */
#ifndef TM_BASE_DECIMAL_H
#define TM_BASE_DECIMAL_H

#include "base/bytes.h"
#include "base/status.h"

/* Converts the LEN bytes at S to a number, times 10^SCALE. SCALE 3 converts microseconds to nanoseconds, and 9 seconds
 * to nanoseconds. The text is an optional '-' or '+', digits with an optional point, and an optional exponent; digits
 * and exponents may be of any length. The result is rounded to nearest, halves away from zero. TM_OK; TM_E_INPUT if the
 * text is no number; TM_END if the number does not fit int64. Source: doc/rules.md section 6. */
enum tm_status tm_decimal_scale(const char *s, size_t len, int scale, int64_t *value);

/* Converts LEN bytes, digits with an optional sign. TM_OK; TM_E_INPUT if they are something else; TM_END beyond int64.
 */
enum tm_status tm_decimal_int(const char *s, size_t len, int64_t *value);

/* Returns the value of the COUNT (1 to 8) decimal digits at P. Eight bytes at P are readable; those after the digits
 * may have any value. */
static inline uint64_t tm_decimal_short(const uint8_t *p, unsigned count)
{
    /* The first digit is in the lowest byte. Joins digits to pairs, then pairs to fours, then both fours. */
    uint64_t v = (tm_get_le64(p) ^ UINT64_C(0x3030303030303030)) << (64 - 8 * count);
    v = v * 10 + (v >> 8);
    return ((v & UINT64_C(0xff000000ff)) * UINT64_C(0xf424000000064) +
            (v >> 16 & UINT64_C(0xff000000ff)) * UINT64_C(0x271000000001)) >>
           32;
}

/* Writes V / 10^SCALE (SCALE 0 to 18) to OUT as the shortest exact decimal text. 1500 at scale 3 is "1.5". OUT has
 * TM_DECIMAL_TEXT_MAX bytes. Returns the length. */
enum { TM_DECIMAL_TEXT_MAX = 32 };
size_t tm_decimal_format(int64_t v, int scale, char *out);

/* Writes the digits of V, at most TM_DECIMAL_DIGITS_MAX, so that they end before END. Returns their start. */
enum { TM_DECIMAL_DIGITS_MAX = 20 };
char *tm_decimal_digits(char *end, uint64_t v);

/* Returns the number of the digits of V. */
unsigned tm_decimal_length(uint64_t v);

#endif
