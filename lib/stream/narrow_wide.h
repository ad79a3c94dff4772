/* The loops of narrow columns, compiled for AVX2 if the compiler can do that for one file. Private to narrow columns.
 * Call them only if the processor has AVX2. */
#ifndef TM_STREAM_NARROW_WIDE_H
#define TM_STREAM_NARROW_WIDE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define TM_NARROW_WIDE 1
#else
#define TM_NARROW_WIDE 0
#endif

#if TM_NARROW_WIDE
struct narrow_range;
struct narrow_copy;
void tm_narrow_range_wide(struct narrow_range *range, const uint8_t *data, size_t width, uint32_t count);
void tm_narrow_copy_wide(uint8_t *to, const struct narrow_copy *copy, uint32_t count);
#endif

#endif
