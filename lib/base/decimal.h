/* Decimal text to integers, exactly: no double, no locale. */
#ifndef TM_BASE_DECIMAL_H
#define TM_BASE_DECIMAL_H

#include "base/status.h"

#include <stdint.h>

/* Converts the LEN bytes at S to a number, times 10^SCALE. SCALE 3 converts microseconds to nanoseconds, and 9 seconds
 * to nanoseconds. The text is an optional '-' or '+', digits with an optional point, and an optional exponent; digits
 * and exponents may be of any length. The result is rounded to nearest, halves away from zero. TM_OK; TM_E_INPUT if the
 * text is no number; TM_END if the number does not fit int64. Source: doc/rules.md section 6, chrome JSON. */
enum tm_status tm_decimal_scale(const char *s, size_t len, int scale, int64_t *value);

/* Converts LEN bytes, digits with an optional sign. TM_OK; TM_E_INPUT if they are something else; TM_END beyond int64.
 */
enum tm_status tm_decimal_int(const char *s, size_t len, int64_t *value);

/* Writes V / 10^SCALE (SCALE 0 to 18) to OUT as the shortest exact decimal text. 1500 at scale 3 is "1.5". OUT has
 * TM_DECIMAL_TEXT_MAX bytes. Returns the length. */
enum { TM_DECIMAL_TEXT_MAX = 32 };
size_t tm_decimal_format(int64_t v, int scale, char *out);

/* Writes the digits of V, at most TM_DECIMAL_DIGITS_MAX, so that they end before END. Returns their start. */
enum { TM_DECIMAL_DIGITS_MAX = 20 };
char *tm_decimal_digits(char *end, uint64_t v);

#endif
