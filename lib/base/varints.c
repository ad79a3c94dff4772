#include "base/varints.h"

#include "base/bytes.h"

enum { WINDOW_BYTES = 64, SPARE_BYTES = 8 }; /* a number is read as eight bytes, which may go past the window */

/* Returns a mask in which bit I is set if byte I of the window at P is the last byte of a number. */
static inline uint64_t ends_of(const uint8_t *p)
{
    uint64_t ends = 0;
    for (unsigned i = 0; i < WINDOW_BYTES / 8; i++) {
        uint64_t last = ~tm_get_le64(p + 8 * i) >> 7 & UINT64_C(0x0101010101010101);
        ends |= (last * UINT64_C(0x0102040810204080) >> 56) << (8 * i); /* collects the highest bits of eight bytes */
    }
    return ends;
}

static inline void widen(uint64_t *restrict numbers, const uint8_t *restrict bytes)
{
    for (unsigned i = 0; i < WINDOW_BYTES; i++)
        numbers[i] = bytes[i];
}

/* Reads numbers that end in the window at P, until there are MAX or one has more than eight bytes. Returns the byte
 * after them. The start of each number is known before any is read, so the reads do not wait for each other. */
static const uint8_t *read_window(const uint8_t *p, uint64_t *numbers, uint32_t max, uint32_t *count)
{
    uint64_t ends = ends_of(p);
    uint32_t n = 0;
    unsigned from = 0;
    if (ends == UINT64_MAX && max >= WINDOW_BYTES) {
        widen(numbers, p);
        *count = WINDOW_BYTES;
        return p + WINDOW_BYTES;
    }
    for (; ends && n < max; ends &= ends - 1) {
        unsigned next = tm_trailing_zeros(ends) + 1;
        uint64_t x = tm_get_le64(p + from);
        if (next - from <= 2)
            numbers[n++] = (x & 0x7f) | (x >> 1 & 0x3f80 & (0 - (uint64_t)(next - from - 1)));
        else if (next - from <= 8)
            numbers[n++] = tm_varint_join(x, next - from);
        else
            break;
        from = next;
    }
    *count = n;
    return p + from;
}

uint32_t tm_varints_read(const uint8_t **at, const uint8_t *end, uint64_t *numbers, uint32_t max, bool *damaged)
{
    const uint8_t *p = *at;
    uint32_t n = 0;
    while (n < max && p != end) {
        uint32_t count = 0;
        if (end - p >= WINDOW_BYTES + SPARE_BYTES)
            p = read_window(p, numbers + n, max - n, &count);
        n += count;
        if (count > 0)
            continue;
        if ((p = tm_varint_get_any(p, end, &numbers[n])) == NULL) {
            *damaged = true;
            p = end;
            break;
        }
        n++;
    }
    *at = p;
    return n;
}
