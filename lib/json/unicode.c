#include "json/unicode.h"

#include "base/cpu.h"
#include "base/hex.h"
#include "base/utf8.h"

enum { ESCAPE_BYTES = 6 /* of a \u escape */ };

/* Returns the number in the four hex digits at P, or -1 if they are none. */
static int32_t hex4(const uint8_t *p)
{
    int32_t v = 0;
    for (int i = 0; i < 4; i++) {
        int digit = tm_hex_value(p[i]);
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* True for the first or the second half of a pair. */
static bool is_half(int32_t v)
{
    return v >= 0xd800 && v <= 0xdfff;
}

const uint8_t *tm_json_decode_u(const uint8_t *p, const uint8_t *end, uint32_t *cp)
{
    *cp = (uint32_t)hex4(p + 2);
    p += ESCAPE_BYTES;
    if (!is_half((int32_t)*cp))
        return p;
    if (*cp <= 0xdbff && end - p >= ESCAPE_BYTES && p[0] == '\\' && p[1] == 'u') {
        int32_t low = hex4(p + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *cp = 0x10000 + ((*cp - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
            return p + ESCAPE_BYTES;
        }
    }
    *cp = 0xfffd;
    return p;
}

/* Returns the first backslash or byte of 0x80 or above from P on, or END. */
static const uint8_t *find_special(const uint8_t *p, const uint8_t *end)
{
#if TM_HAS_BYTES16
    for (; end - p >= 32; p += 32) {
        const tm_bytes16 a = tm_bytes16_load(p), b = tm_bytes16_load(p + 16);
        const tm_bytes16 x = tm_bytes16_or(a, tm_bytes16_is(a, '\\')), y = tm_bytes16_or(b, tm_bytes16_is(b, '\\'));
        if (tm_bytes16_mask(tm_bytes16_or(x, y)))
            return p + tm_trailing_zeros(tm_bytes16_mask(x) | (uint64_t)tm_bytes16_mask(y) << 16);
    }
#endif
    while (p < end && *p < 0x80 && *p != '\\')
        p++;
    return p;
}

/* Returns the byte after the escape at P, or P if it means no character. */
static const uint8_t *pass_escape(const uint8_t *p, const uint8_t *end)
{
    uint32_t cp;
    if (end - p < ESCAPE_BYTES || p[1] != 'u')
        return end - p < 2 ? end : p + 2;
    const uint8_t *after = tm_json_decode_u(p, end, &cp);
    return cp == 0xfffd && is_half(hex4(p + 2)) ? p : after;
}

const uint8_t *tm_json_find_no_character(const uint8_t *p, const uint8_t *end)
{
    while ((p = find_special(p, end)) < end) {
        const uint8_t *after = *p == '\\' ? pass_escape(p, end) : p + tm_utf8_length(p, (size_t)(end - p));
        if (after == p)
            return p;
        p = after;
    }
    return end;
}

enum tm_status tm_json_put_characters(struct tm_buf *out, const uint8_t *s, size_t len)
{
    const uint8_t *end = s + len, *bad;
    enum tm_status st = TM_OK;
    while (st == TM_OK && (bad = tm_json_find_no_character(s, end)) < end) {
        const bool is_escape = *bad == '\\';
        st = tm_buf_add(out, s, (size_t)(bad - s));
        if (st == TM_OK)
            st = is_escape ? tm_buf_add(out, "\\ufffd", ESCAPE_BYTES) : tm_buf_add(out, "\xef\xbf\xbd", 3);
        s = bad + (is_escape ? ESCAPE_BYTES : 1);
    }
    return st == TM_OK ? tm_buf_add(out, s, (size_t)(end - s)) : st;
}
