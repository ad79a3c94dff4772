/* The loops of narrow_loops.h, compiled for processors with wider vectors. */
#include "stream/narrow_wide.h"

#if TM_NARROW_WIDE
#pragma GCC target("avx2")
#include "base/cpu.h"
#include "stream/narrow_loops.h"

void tm_narrow_range_wide(struct narrow_range *range, const uint8_t *data, size_t width, uint32_t count)
{
    *range = narrow_range(data, width, count);
    tm_cpu_clear_upper_avx(); /* see base/hash_wide.c */
}

void tm_narrow_copy_wide(uint8_t *to, const struct narrow_copy *copy, uint32_t count)
{
    narrow_copy(to, copy, count);
    tm_cpu_clear_upper_avx();
}
#else
typedef int tm_narrow_wide_is_empty;
#endif
