/* Decimal text to integers, exactly: no double, no locale. */
#ifndef TM_BASE_DECIMAL_H
#define TM_BASE_DECIMAL_H

#include "base/status.h"

#include <stdint.h>

/* The number in all LEN bytes at S (optional '-' or '+', digits with an optional point, optional
 * exponent) times 10^SCALE, rounded to nearest, halves away from zero. SCALE 3 makes microseconds
 * nanoseconds, 9 seconds. TM_OK; TM_E_INPUT when it is not a number; TM_END when it is one that
 * does not fit int64. Digits and exponents may be of any length.
 * Source: doc/rules.md section 6, chrome JSON. */
enum tm_status tm_decimal_scale(const char *s, size_t len, int scale, int64_t *value);

/* Digits with an optional sign, all LEN bytes. TM_OK, TM_E_INPUT, or TM_END past int64. */
enum tm_status tm_decimal_int(const char *s, size_t len, int64_t *value);

/* V / 10^SCALE (0 to 18) as the shortest decimal text that says it exactly, into OUT
 * (TM_DECIMAL_TEXT_MAX bytes); returns its length. 1500 at scale 3 is "1.5". */
enum { TM_DECIMAL_TEXT_MAX = 32 };
size_t tm_decimal_format(int64_t v, int scale, char *out);

#endif
