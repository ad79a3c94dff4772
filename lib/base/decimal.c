#include "base/decimal.h"

#include "base/cpu.h"

#include <stdbool.h>
#include <string.h>

enum { EXPONENT_MAX = 1000000000, INT64_DIGITS = 18 /* this many always fit */ };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The positions of a number's parts in its text. */
struct parts {
    bool negative;
    const char *whole, *whole_end;
    const char *fraction, *fraction_end;
    int64_t exponent;
};

static const char *parse_exponent(const char *p, const char *end, int64_t *exponent)
{
    bool minus = false;
    if (p < end && (*p == '-' || *p == '+'))
        minus = *p++ == '-';
    if (p == end || !is_digit(*p))
        return NULL;
    int64_t e = 0;
    for (; p < end && is_digit(*p); p++)
        if (e < EXPONENT_MAX)
            e = e * 10 + (*p - '0');
    *exponent = minus ? -e : e;
    return p;
}

static bool parse_parts(const char *p, const char *end, struct parts *n)
{
    *n = (struct parts){0};
    if (p < end && (*p == '-' || *p == '+'))
        n->negative = *p++ == '-';
    n->whole = p;
    while (p < end && is_digit(*p))
        p++;
    n->whole_end = p;
    n->fraction = n->fraction_end = p;
    if (p < end && *p == '.') {
        n->fraction = ++p;
        while (p < end && is_digit(*p))
            p++;
        n->fraction_end = p;
    }
    if (n->whole == n->whole_end && n->fraction == n->fraction_end)
        return false;
    if (p < end && (*p == 'e' || *p == 'E'))
        p = parse_exponent(p + 1, end, &n->exponent);
    return p == end;
}

/* Returns the digit at place AT, where the fraction's digits follow those of the whole number. */
static int digit_at(const struct parts *n, int64_t at)
{
    int64_t whole = n->whole_end - n->whole;
    if (at < whole)
        return n->whole[at] - '0';
    return at - whole < n->fraction_end - n->fraction ? n->fraction[at - whole] - '0' : 0;
}

enum tm_status tm_decimal_scale(const char *s, size_t len, int scale, int64_t *value)
{
    struct parts n;
    uint64_t limit = INT64_MAX;
    uint64_t v = 0;
    if (!parse_parts(s, s + len, &n))
        return TM_E_INPUT;
    int64_t digits = (n.whole_end - n.whole) + (n.fraction_end - n.fraction);
    int64_t keep = (n.whole_end - n.whole) + n.exponent + scale; /* digits before the point, scaled */
    if (n.negative)
        limit++;
    for (int64_t at = 0; at < keep; at++) {
        uint64_t d = (uint64_t)digit_at(&n, at);
        if (at >= digits && v == 0)
            break;
        if (v > (limit - d) / 10)
            return TM_END;
        v = v * 10 + d;
    }
    if (keep >= 0 && keep < digits && digit_at(&n, keep) >= 5) {
        if (v >= limit)
            return TM_END;
        v++;
    }
    *value = n.negative ? (int64_t)(0 - v) : (int64_t)v;
    return TM_OK;
}

enum tm_status tm_decimal_int(const char *s, size_t len, int64_t *value)
{
    size_t i = len > 0 && (s[0] == '-' || s[0] == '+');
    uint64_t v = 0;
    if (i == len)
        return TM_E_INPUT;
    for (; i < len; i++) {
        if (!is_digit(s[i]))
            return TM_E_INPUT;
        v = v * 10 + (uint64_t)(s[i] - '0');
    }
    if (len > INT64_DIGITS)
        return tm_decimal_scale(s, len, 0, value);
    *value = s[0] == '-' ? -(int64_t)v : (int64_t)v;
    return TM_OK;
}

char *tm_decimal_digits(char *end, uint64_t u)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    for (; u >= 10000; u /= 10000) {
        const unsigned v = (unsigned)(u % 10000);
        memcpy(end -= 2, pairs + v % 100 * 2, 2);
        memcpy(end -= 2, pairs + v / 100 * 2, 2);
    }
    if (u >= 100) {
        memcpy(end -= 2, pairs + u % 100 * 2, 2);
        u /= 100;
    }
    if (u >= 10)
        memcpy(end -= 2, pairs + u * 2, 2);
    else
        *--end = (char)('0' + u);
    return end;
}

unsigned tm_decimal_length(uint64_t v)
{
    static const uint64_t powers[TM_DECIMAL_DIGITS_MAX] = {
        0,
        UINT64_C(10),
        UINT64_C(100),
        UINT64_C(1000),
        UINT64_C(10000),
        UINT64_C(100000),
        UINT64_C(1000000),
        UINT64_C(10000000),
        UINT64_C(100000000),
        UINT64_C(1000000000),
        UINT64_C(10000000000),
        UINT64_C(100000000000),
        UINT64_C(1000000000000),
        UINT64_C(10000000000000),
        UINT64_C(100000000000000),
        UINT64_C(1000000000000000),
        UINT64_C(10000000000000000),
        UINT64_C(100000000000000000),
        UINT64_C(1000000000000000000),
        UINT64_C(10000000000000000000),
    };
    const unsigned at_most = ((tm_highest_bit(v | 1) + 1) * 1233 >> 12) + 1; /* 1233 / 4096: the logarithm of 2 */
    return at_most - (v < powers[at_most - 1]);
}

/* Puts the fraction V / 1000 at P, with its point and without zeros at its end. V is below 1000. Returns its end. */
static char *put_thousandths(char *p, unsigned v)
{
    if (v == 0)
        return p;
    *p++ = '.';
    *p++ = (char)('0' + v / 100);
    if (v % 100)
        *p++ = (char)('0' + v / 10 % 10);
    if (v % 10)
        *p++ = (char)('0' + v % 10);
    return p;
}

/* Puts V thousandths at P, as tm_decimal_format does for a scale of 3. Returns the end of the text. */
static char *put_micros(char *p, uint64_t v)
{
    p += tm_decimal_length(v / 1000);
    (void)tm_decimal_digits(p, v / 1000);
    return put_thousandths(p, (unsigned)(v % 1000));
}

size_t tm_decimal_format(int64_t v, int scale, char *out)
{
    char text[TM_DECIMAL_TEXT_MAX];
    char *end = text + sizeof text, *p = end;
    uint64_t u = tm_magnitude(v);
    int places = scale;
    if (scale == 3) {
        *out = '-';
        end = put_micros(out + (v < 0), u);
        *end = '\0';
        return (size_t)(end - out);
    }
    while (places > 0 && u % 10 == 0) {
        u /= 10;
        places--;
    }
    for (int i = 0; i < places; i++, u /= 10)
        *--p = (char)('0' + u % 10);
    if (places > 0)
        *--p = '.';
    p = tm_decimal_digits(p, u);
    if (v < 0)
        *--p = '-';
    memcpy(out, p, (size_t)(end - p));
    out[end - p] = '\0';
    return (size_t)(end - p);
}
