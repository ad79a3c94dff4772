/* The loops of narrow columns. Private to them. They are compiled twice: as they are, and for wider vectors
 * (narrow_wide.c). Each loop runs over whole tiles of a fixed size, which compilers vectorise, and then over the rest.
 */
#ifndef TM_STREAM_NARROW_LOOPS_H
#define TM_STREAM_NARROW_LOOPS_H

#include "base/bytes.h"

enum { NARROW_TILE = 64 };

/* The smallest and the largest element, as signed numbers. */
struct narrow_range {
    int64_t low, high;
};

static inline int64_t narrow_get(const uint8_t *data, size_t width, uint32_t i)
{
    return width == 8 ? (int64_t)tm_get_le64(data + (size_t)8 * i) : (int32_t)tm_get_le32(data + (size_t)4 * i);
}

static inline struct narrow_range narrow_range64(const uint8_t *data, uint32_t count)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t v = narrow_get(data, 8, i);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    return (struct narrow_range){low, high};
}

static inline struct narrow_range narrow_range32(const uint8_t *data, uint32_t count)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int32_t v = (int32_t)tm_get_le32(data + (size_t)4 * i);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    return (struct narrow_range){low, high};
}

/* Returns the range of COUNT elements. Stops early if no narrow form can hold the range so far. */
static inline struct narrow_range narrow_range(const uint8_t *data, size_t width, uint32_t count)
{
    uint64_t most = width == 8 ? UINT32_MAX : UINT16_MAX;
    struct narrow_range all = {INT64_MAX, INT64_MIN};
    uint32_t i = 0;
    do {
        struct narrow_range part;
        const uint8_t *from = data + width * i;
        if (count - i < NARROW_TILE)
            part = width == 8 ? narrow_range64(from, count - i) : narrow_range32(from, count - i);
        else
            part = width == 8 ? narrow_range64(from, NARROW_TILE) : narrow_range32(from, NARROW_TILE);
        all.low = part.low < all.low ? part.low : all.low;
        all.high = part.high > all.high ? part.high : all.high;
        i += NARROW_TILE;
    } while (i < count && (uint64_t)all.high - (uint64_t)all.low <= most);
    return all;
}

static inline void narrow_put(uint8_t *to, size_t width, uint64_t v)
{
    if (width == 1)
        *to = (uint8_t)v;
    else if (width == 2)
        tm_put_le16(to, (uint16_t)v);
    else if (width == 4)
        tm_put_le32(to, (uint32_t)v);
    else
        tm_put_le64(to, v);
}

static inline uint64_t narrow_get_unsigned(const uint8_t *from, size_t width)
{
    return width == 1 ? *from : width == 2 ? tm_get_le16(from) : width == 4 ? tm_get_le32(from) : tm_get_le64(from);
}

/* Elements of from_width bytes become elements of to_width bytes. add is added to each. */
struct narrow_copy {
    const uint8_t *from;
    size_t from_width, to_width;
    uint64_t add;
};

/* Copies COUNT elements, from element FIRST on. */
static inline void narrow_copy_some(uint8_t *restrict to, const struct narrow_copy *c, uint32_t first, uint32_t count)
{
    const size_t from_width = c->from_width, to_width = c->to_width;
    const uint8_t *restrict from = c->from + from_width * first;
    const uint64_t add = c->add;
    to += to_width * first;
    for (uint32_t i = 0; i < count; i++)
        narrow_put(to + to_width * i, to_width, narrow_get_unsigned(from + from_width * i, from_width) + add);
}

/* TO_WIDTH and FROM_WIDTH are those of C. They are constants here, for which the loop is compiled. */
static inline void narrow_copy_as(uint8_t *to, size_t to_width, const struct narrow_copy *c, size_t from_width,
                                  uint32_t count)
{
    const struct narrow_copy fixed = {c->from, from_width, to_width, c->add};
    uint32_t i = 0;
    for (; count - i >= NARROW_TILE; i += NARROW_TILE)
        narrow_copy_some(to, &fixed, i, NARROW_TILE);
    narrow_copy_some(to, &fixed, i, count - i);
}

static inline void narrow_copy(uint8_t *to, const struct narrow_copy *c, uint32_t count)
{
    switch (c->from_width * 16 + c->to_width) {
    case 0x81:
        narrow_copy_as(to, 1, c, 8, count);
        break;
    case 0x82:
        narrow_copy_as(to, 2, c, 8, count);
        break;
    case 0x84:
        narrow_copy_as(to, 4, c, 8, count);
        break;
    case 0x41:
        narrow_copy_as(to, 1, c, 4, count);
        break;
    case 0x42:
        narrow_copy_as(to, 2, c, 4, count);
        break;
    case 0x18:
        narrow_copy_as(to, 8, c, 1, count);
        break;
    case 0x28:
        narrow_copy_as(to, 8, c, 2, count);
        break;
    case 0x48:
        narrow_copy_as(to, 8, c, 4, count);
        break;
    case 0x14:
        narrow_copy_as(to, 4, c, 1, count);
        break;
    case 0x24:
        narrow_copy_as(to, 4, c, 2, count);
        break;
    default:
        break;
    }
}

#endif
