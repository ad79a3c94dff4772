/* The fast path of the JSON scanner, for bytes without escapes and special cases. It stops before other bytes; scan.c
 * reads those. */
#ifndef TM_JSON_FAST_PATH_H
#define TM_JSON_FAST_PATH_H

#include "json/scan.h"

#ifdef __SSE2__

#include <emmintrin.h>

/* The first quote, backslash or control character of the 16 bytes at P as a bit mask; *HIGH gets
 * those with the top bit. */
static inline unsigned special16(const uint8_t *p, unsigned *high)
{
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(0x1f)), x);
    *high = (unsigned)_mm_movemask_epi8(x);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
}

static inline const uint8_t *tm_json_special(const uint8_t *p, const uint8_t *end, bool *non_ascii)
{
    unsigned high;
    while (end - p >= 16) {
        unsigned mask = special16(p, &high);
        if (mask) {
            unsigned at = (unsigned)__builtin_ctz(mask);
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

/* Finds the next byte that ends or escapes a string, eight bytes at a time. */
static inline const uint8_t *tm_json_special(const uint8_t *p, const uint8_t *end, bool *non_ascii)
{
    static const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    while (end - p >= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        uint64_t quote = x ^ ones * '"', slash = x ^ ones * '\\';
        /* A byte of x below 0x20, or a zero byte of quote or slash, sets its top bit; a false
         * alarm after a true one does no harm. */
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

static inline bool tm_json_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

static inline const uint8_t *tm_json_skip_digits(const uint8_t *p, const uint8_t *end)
{
    while (p < end && tm_json_is_digit(*p))
        p++;
    return p;
}

/* White space from P on. */
static inline const uint8_t *tm_json_skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p <= ' ' && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* The key at P, its colon and what is white about it, where it has no escapes: what it says in *KEY, and the byte
 * after it all. NULL where that is not so or more bytes are needed. */
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

/* The byte after the container at P, where all in it is as plain as most are: no escapes, no words, no exponents, no
 * comma before a bracket, 64 levels at most; else NULL. */
const uint8_t *tm_json_fast_container(const uint8_t *p, const uint8_t *end);

#endif
