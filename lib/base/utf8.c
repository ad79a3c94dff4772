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
