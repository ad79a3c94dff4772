/* The fast path of the JSON scanner, for bytes without escapes and special cases. It stops before other bytes; scan.c
 * reads those. */
#ifndef TM_JSON_FAST_PATH_H
#define TM_JSON_FAST_PATH_H

#include "base/decimal.h"
#include "json/scan.h"

#if TM_HAS_BYTES16

/* Returns a bit mask of the quotes, backslashes and control characters among the 16 bytes at P. *HIGH is the mask of
 * the bytes with the top bit set. */
static inline unsigned special16(const uint8_t *p, unsigned *high)
{
    tm_bytes16 x = tm_bytes16_load(p);
    tm_bytes16 ends = tm_bytes16_or(tm_bytes16_is(x, '"'), tm_bytes16_is(x, '\\'));
    *high = tm_bytes16_mask(x);
    return tm_bytes16_mask(tm_bytes16_or(ends, tm_bytes16_at_most(x, 0x1f)));
}

/* Returns the first quote, backslash or control character from P on, or END. Sets *NON_ASCII if a byte before it has
 * the top bit set; else leaves it. */
static inline const uint8_t *tm_json_special(const uint8_t *p, const uint8_t *end, bool *non_ascii)
{
    unsigned high;
    while (end - p >= 16) {
        unsigned mask = special16(p, &high);
        if (mask) {
            unsigned at = tm_trailing_zeros(mask);
            *non_ascii |= (high & ((1u << at) - 1)) != 0;
            return p + at;
        }
        *non_ascii |= high != 0;
        p += 16;
    }
    for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
        *non_ascii |= *p >= 0x80;
    return p;
}

#else

/* The replacement for processors without 16-byte vectors reads eight bytes at a time. */
static inline const uint8_t *tm_json_special(const uint8_t *p, const uint8_t *end, bool *non_ascii)
{
    static const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    while (end - p >= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        uint64_t quote = x ^ ones * '"', slash = x ^ ones * '\\';
        /* The top bit of a byte is set if the byte of x is below 0x20, or if that of quote or slash is zero. A borrow
         * can set further bits above a true one, which does no harm. */
        uint64_t hit = ((x - ones * 0x20) | (quote - ones) | (slash - ones)) & tops;
        if (hit & ~(x & tops))
            break;
        *non_ascii |= (x & tops) != 0;
        p += 8;
    }
    for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
        *non_ascii |= *p >= 0x80;
    return p;
}

#endif

/* True if C and the backslash before it are a whole escape. */
static inline bool tm_json_is_short_escape(uint8_t c)
{
    return c == '"' || c == '\\' || c == '/' || c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f';
}

static inline bool tm_json_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

static inline const uint8_t *tm_json_skip_digits(const uint8_t *p, const uint8_t *end)
{
#if TM_HAS_BYTES16
    while (end - p >= 16) {
        unsigned digits = tm_bytes16_mask(tm_bytes16_digits(tm_bytes16_load(p)));
        if (digits != 0xffff)
            return p + tm_trailing_zeros(~(uint64_t)digits);
        p += 16;
    }
#endif
    while (p < end && tm_json_is_digit(*p))
        p++;
    return p;
}

/* What the following functions need: TM_JSON_NUMBER_ROOM bytes at a number must be readable. Longer numbers than
 * TM_JSON_INT_DIGITS are not read. */
enum { TM_JSON_NUMBER_ROOM = 40, TM_JSON_INT_DIGITS = 15 };

#if TM_HAS_BYTES16

/* Returns the number of digits at P, at most 16. */
static inline unsigned tm_json_count_digits(const uint8_t *p)
{
    return tm_trailing_zeros(~(uint64_t)tm_bytes16_mask(tm_bytes16_digits(tm_bytes16_load(p))));
}

/* Reads the digits at P, up to TM_JSON_INT_DIGITS and without a zero in front. Returns the byte after them, or NULL. */
static inline const uint8_t *tm_json_fast_digits(const uint8_t *p, uint64_t *v)
{
    unsigned count = tm_json_count_digits(p);
    if (count - 1 >= TM_JSON_INT_DIGITS || (count > 1 && *p == '0'))
        return NULL;
    *v = count > 8 ? tm_decimal_short(p, count - 8) * 100000000 + tm_decimal_short(p + count - 8, 8)
                   : tm_decimal_short(p, count);
    return p + count;
}

#else

static inline const uint8_t *tm_json_fast_digits(const uint8_t *p, uint64_t *v)
{
    (void)p;
    (void)v;
    return NULL;
}

#endif

/* Reads the integer at P as tm_json_fast_digits does. NULL if it is another number, too. */
static inline const uint8_t *tm_json_fast_int(const uint8_t *p, uint64_t *v)
{
    if ((p = tm_json_fast_digits(p, v)) == NULL)
        return NULL;
    return *p == '.' || (*p | 0x20) == 'e' ? NULL : p;
}

#if TM_HAS_BYTES16

/* Reads the number at P if it has digits as tm_json_fast_digits reads them, and a fraction of up to SCALE (at most 6)
 * digits. Sets *V to the number times 10^SCALE, which is an int64. Returns the byte after the number, or NULL. */
static inline const uint8_t *tm_json_fast_scaled(const uint8_t *p, unsigned scale, uint64_t *v)
{
    static const uint32_t powers[7] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    if ((p = tm_json_fast_digits(p, v)) == NULL || *v >= (uint64_t)INT64_MAX / powers[scale])
        return NULL;
    *v *= powers[scale];
    if (*p == '.') {
        unsigned fraction = tm_json_count_digits(++p);
        if (fraction - 1 >= scale)
            return NULL;
        *v += tm_decimal_short(p, fraction) * powers[scale - fraction];
        p += fraction;
    }
    return (*p | 0x20) == 'e' ? NULL : p;
}

#else

static inline const uint8_t *tm_json_fast_scaled(const uint8_t *p, unsigned scale, uint64_t *v)
{
    (void)p;
    (void)scale;
    (void)v;
    return NULL;
}

#endif

/* Skips white space from P on. */
static inline const uint8_t *tm_json_skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* Reads the key at P, its colon and the white space around that. Sets *KEY and returns the byte after all. NULL if the
 * key has escapes, or if more bytes are needed. */
static inline const uint8_t *tm_json_fast_key(const uint8_t *p, const uint8_t *end, struct tm_json_value *key)
{
    bool non_ascii = false;
    p = tm_json_skip_space(p, end);
    if (end - p < 3 || *p != '"')
        return NULL;
    const uint8_t *text = p + 1, *quote = tm_json_special(text, end, &non_ascii);
    if (end - quote < 3 || *quote != '"')
        return NULL;
    p = tm_json_skip_space(quote + 1, end);
    if (p == end || *p != ':' || (p = tm_json_skip_space(p + 1, end)) == end)
        return NULL;
    *key = (struct tm_json_value){text, (size_t)(quote - text), TM_JSON_STRING, false, non_ascii};
    return p;
}

/* Returns the byte after the container at P. NULL if there is anything special in it: an escaped key, a \u escape, a
 * number that is not finite, an exponent, a comma in front of a closing bracket, or more than 64 levels. */
const uint8_t *tm_json_fast_container(const uint8_t *p, const uint8_t *end);

#endif
