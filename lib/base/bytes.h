/* Fixed-width and variable-width integers on the wire: le has the little end first, be the big one.
 * Wire bytes go through these, never through a struct. */
#ifndef TM_BASE_BYTES_H
#define TM_BASE_BYTES_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TM_VARINT_MAX = 10 }; /* bytes in the longest varint */

/* On a little-endian machine this is a plain load or store. Compilers do not reliably turn shifts of single bytes into
 * one. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TM_LITTLE_ENDIAN 1
#else
#define TM_LITTLE_ENDIAN 0
#endif

static inline uint16_t tm_get_le16(const uint8_t *p)
{
    uint16_t v;
    if (!TM_LITTLE_ENDIAN)
        return (uint16_t)(p[0] | p[1] << 8);
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t tm_get_le32(const uint8_t *p)
{
    uint32_t v;
    if (!TM_LITTLE_ENDIAN)
        return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t tm_get_le64(const uint8_t *p)
{
    uint64_t v;
    if (!TM_LITTLE_ENDIAN)
        return (uint64_t)tm_get_le32(p) | (uint64_t)tm_get_le32(p + 4) << 32;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void tm_put_le16(uint8_t *p, uint16_t v)
{
    if (TM_LITTLE_ENDIAN) {
        memcpy(p, &v, sizeof v);
    } else {
        p[0] = (uint8_t)v;
        p[1] = (uint8_t)(v >> 8);
    }
}

static inline void tm_put_le32(uint8_t *p, uint32_t v)
{
    if (TM_LITTLE_ENDIAN) {
        memcpy(p, &v, sizeof v);
    } else {
        tm_put_le16(p, (uint16_t)v);
        tm_put_le16(p + 2, (uint16_t)(v >> 16));
    }
}

static inline void tm_put_le64(uint8_t *p, uint64_t v)
{
    if (TM_LITTLE_ENDIAN) {
        memcpy(p, &v, sizeof v);
    } else {
        tm_put_le32(p, (uint32_t)v);
        tm_put_le32(p + 4, (uint32_t)(v >> 32));
    }
}

static inline uint32_t tm_get_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t tm_get_be32(const uint8_t *p)
{
    return tm_get_be16(p) << 16 | tm_get_be16(p + 2);
}

static inline void tm_put_be16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void tm_put_be32(uint8_t *p, uint32_t v)
{
    tm_put_be16(p, v >> 16);
    tm_put_be16(p + 2, v);
}

static inline void tm_put_be64(uint8_t *p, uint64_t v)
{
    /* compilers know this form of a swap of bytes */
    tm_put_le64(p, v >> 56 | (v >> 40 & 0xff00) | (v >> 24 & 0xff0000) | (v >> 8 & 0xff000000) |
                       (v << 8 & UINT64_C(0xff00000000)) | (v << 24 & UINT64_C(0xff0000000000)) |
                       (v << 40 & UINT64_C(0xff000000000000)) | v << 56);
}

/* Copies LEN bytes. LEN is usually at most SLACK, a constant; SLACK bytes are read and written in any case. Length is
 * unpredictable; copying a fixed size avoids a mispredicted branch. */
static inline void tm_copy_short(uint8_t *to, const uint8_t *from, size_t len, size_t slack)
{
    memcpy(to, from, slack);
    if (len > slack)
        memcpy(to + slack, from + slack, len - slack);
}

/* Copies LEN bytes, as memcpy does. For up to 64 it is faster than a call of that. */
static inline void tm_copy_few(uint8_t *to, const uint8_t *from, size_t len)
{
    enum { PART = 16, HALF = PART / 2, MOST = 4 * PART };
    if (len > MOST) {
        memcpy(to, from, len);
    } else if (len >= PART) {
        if (len > 2 * PART) {
            memcpy(to + PART, from + PART, PART);
            memcpy(to + len - 2 * PART, from + len - 2 * PART, PART);
        }
        memcpy(to, from, PART);
        memcpy(to + len - PART, from + len - PART, PART);
    } else if (len >= HALF) {
        memcpy(to, from, HALF);
        memcpy(to + len - HALF, from + len - HALF, HALF);
    } else {
        for (size_t i = 0; i < len; i++)
            to[i] = from[i];
    }
}

/* Returns how many of the first LEN bytes at A and B are equal before one differs. For short texts it is faster than a
 * call of memcmp. */
static inline size_t tm_count_equal(const uint8_t *a, const uint8_t *b, size_t len)
{
    enum { STEP = 8 };
    size_t i = 0;
    for (; len - i >= STEP; i += STEP) {
        uint64_t differs = tm_get_le64(a + i) ^ tm_get_le64(b + i);
        if (differs)
            return i + tm_trailing_zeros(differs) / 8;
    }
    while (i < len && a[i] == b[i])
        i++;
    return i;
}

/* Returns the size of V as a varint: 1 to TM_VARINT_MAX bytes. */
static inline size_t tm_varint_size(uint64_t v)
{
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

/* Writes V at P (room for TM_VARINT_MAX bytes) and returns the byte after it. */
static inline uint8_t *tm_varint_put(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* Puts each group of seven of the low 56 bits of V into a byte, the first group lowest: reverses tm_varint_join. */
static inline uint64_t tm_varint_spread(uint64_t v)
{
    v = (v & UINT64_C(0x0fffffff)) | (v & UINT64_C(0xfffffff0000000)) << 4;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x0fffc0000fffc000)) << 2;
    return (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x3f803f803f803f80)) << 1;
}

/* Writes V as a varint without a branch on its size, for numbers of unpredictable size. All TM_VARINT_MAX bytes at P
 * may be overwritten. Returns the byte after the varint. */
static inline uint8_t *tm_varint_put_over(uint8_t *p, uint64_t v)
{
    unsigned n = tm_highest_bit(v | 1) / 7 + 1;
    uint64_t x = tm_varint_spread(v);
    if (n > 8) {
        tm_put_le64(p, x | UINT64_C(0x8080808080808080));
        p[8] = (uint8_t)((v >> 56 & 0x7f) | (n > 9) << 7);
        p[9] = (uint8_t)(v >> 63);
        return p + n;
    }
    tm_put_le64(p, x | (UINT64_C(0x8080808080808080) & ((UINT64_C(1) << (8 * n - 8)) - 1)));
    return p + n;
}

/* Writes V, below 2^14, as a varint without a branch. Two bytes at P may be overwritten. */
static inline uint8_t *tm_varint_put_two(uint8_t *p, uint64_t v)
{
    uint64_t more = v >= 0x80;
    tm_put_le16(p, (uint16_t)((v & 0x7f) | more << 7 | v >> 7 << 8));
    return p + 1 + more;
}

/* Joins the first N (1 to 8) of eight bytes of varint, first byte lowest: puts their groups of seven bits side by side.
 */
static inline uint64_t tm_varint_join(uint64_t x, unsigned n)
{
    x &= UINT64_MAX >> (64 - 8 * n);
    x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x7f007f007f007f00)) >> 1;
    x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (x & UINT64_C(0x0fffffff)) | (x & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Reads a varint from [P, END) into *V. Returns the byte after it, or NULL if it is cut short or longer than
 * TM_VARINT_MAX bytes. Bits past the 64th are dropped, as protobuf does. */
static inline const uint8_t *tm_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint64_t r = 0;
    if (p < end && *p < 0x80) {
        *v = *p;
        return p + 1;
    }
    if (end - p >= 8) {
        uint64_t x = tm_get_le64(p), ends = ~x & UINT64_C(0x8080808080808080);
        if (ends) {
            unsigned n = tm_trailing_zeros(ends) / 8 + 1;
            *v = tm_varint_join(x, n);
            return p + n;
        }
    }
    for (unsigned shift = 0; p < end && shift < 70; shift += 7) {
        uint8_t b = *p++;
        r |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (b < 0x80) {
            *v = r;
            return p;
        }
    }
    return NULL;
}

/* Reads a varint as tm_varint_get does, without a branch on its size if eight bytes are left. */
static inline const uint8_t *tm_varint_get_any(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    if (end - p < 8)
        return tm_varint_get(p, end, v);
    uint64_t x = tm_get_le64(p), ends = ~x & UINT64_C(0x8080808080808080);
    if (ends == 0)
        return tm_varint_get(p, end, v);
    unsigned n = tm_trailing_zeros(ends) / 8 + 1;
    *v = tm_varint_join(x, n);
    return p + n;
}

/* Returns V without its sign. */
static inline uint64_t tm_magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static inline uint64_t tm_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v < 0 ? -1 : 0);
}

static inline int64_t tm_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
