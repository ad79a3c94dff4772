#include "base/utf8.h"

#include <string.h>

size_t tm_utf8_length(const uint8_t *s, size_t len)
{
    if (len == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    size_t n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (len < n)
        return 0;
    uint8_t low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (s[i] < 0x80 || s[i] > 0xbf)
            return 0;
    return n;
}

bool tm_utf8_valid(const uint8_t *s, size_t len)
{
    while (len > 0) {
        if (len >= 8) {
            uint64_t word;
            memcpy(&word, s, 8);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                s += 8;
                len -= 8;
                continue;
            }
        }
        size_t n = tm_utf8_length(s, len);
        if (n == 0)
            return false;
        s += n;
        len -= n;
    }
    return true;
}

/* Returns the code point of the valid sequence of LEN bytes at S. */
static uint32_t decode(const uint8_t *s, size_t len)
{
    static const uint8_t masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t cp = s[0] & masks[len];
    for (size_t i = 1; i < len; i++)
        cp = cp << 6 | (s[i] & 0x3f);
    return cp;
}

size_t tm_utf8_columns(const uint8_t *s, size_t len)
{
    static const struct {
        uint32_t first, last;
        uint8_t columns;
    } blocks[] = {
        {0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x0610, 0x061a, 0},
        {0x064b, 0x065f, 0},   {0x093c, 0x093c, 0},   {0x0941, 0x0948, 0},   {0x094d, 0x094d, 0},
        {0x0e31, 0x0e31, 0},   {0x0e34, 0x0e3a, 0},   {0x0e47, 0x0e4e, 0},   {0x1100, 0x115f, 2},
        {0x1160, 0x11ff, 0},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},   {0x200b, 0x200f, 0},
        {0x202a, 0x202e, 0},   {0x2060, 0x2064, 0},   {0x20d0, 0x20f0, 0},   {0x2e80, 0x3029, 2},
        {0x302a, 0x302d, 0},   {0x302e, 0x303e, 2},   {0x3041, 0x3096, 2},   {0x3099, 0x309a, 0},
        {0x309b, 0x4dbf, 2},   {0x4e00, 0xa4c6, 2},   {0xa960, 0xa97c, 2},   {0xac00, 0xd7a3, 2},
        {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6b, 2},
        {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x17000, 0x18cff, 2}, {0x1b000, 0x1b2ff, 2},
        {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2}, {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
        {0xe0100, 0xe01ef, 0},
    };
    uint32_t cp = decode(s, len);
    size_t i = 0;
    while (i < sizeof blocks / sizeof *blocks && blocks[i].last < cp)
        i++;
    return i < sizeof blocks / sizeof *blocks && blocks[i].first <= cp ? blocks[i].columns : 1;
}

size_t tm_utf8_encode(uint32_t cp, uint8_t *out)
{
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (uint8_t)(0xc0 | cp >> 6);
        out[1] = (uint8_t)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (uint8_t)(0xe0 | cp >> 12);
        out[1] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | cp >> 18);
    out[1] = (uint8_t)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (cp & 0x3f));
    return 4;
}

size_t tm_utf8_mark(const uint8_t *s, size_t len)
{
    return len >= 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf ? 3 : 0;
}
