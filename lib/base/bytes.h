/* Fixed-width and variable-width integers on the wire, little end first.
 * Wire bytes go through these, never through a struct. */
#ifndef TM_BASE_BYTES_H
#define TM_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TM_VARINT_MAX = 10 }; /* bytes in the longest varint */

static inline uint16_t tm_get_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t tm_get_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t tm_get_le64(const uint8_t *p)
{
    return (uint64_t)tm_get_le32(p) | (uint64_t)tm_get_le32(p + 4) << 32;
}

static inline void tm_put_le16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void tm_put_le32(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v; /* spelled out: compilers make one store of it, but not of a loop */
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

static inline void tm_put_le64(uint8_t *p, uint64_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
    p[4] = (uint8_t)(v >> 32);
    p[5] = (uint8_t)(v >> 40);
    p[6] = (uint8_t)(v >> 48);
    p[7] = (uint8_t)(v >> 56);
}

/* Bytes that V takes as a varint: 1 to TM_VARINT_MAX. */
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

/* Reads a varint from [P, END) into *V and returns the byte after it, or NULL when it is cut
 * short or longer than TM_VARINT_MAX bytes. Bits past the 64th are dropped, as protobuf does. */
static inline const uint8_t *tm_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint64_t r = 0;
    if (p < end && *p < 0x80) {
        *v = *p;
        return p + 1;
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

static inline uint64_t tm_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v < 0 ? -1 : 0);
}

static inline int64_t tm_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
