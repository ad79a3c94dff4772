/* The loops of layout_loops.h, compiled for processors with wider vectors. */
#include "sort/layout_wide.h"

#if TM_LAYOUT_WIDE
#pragma GCC target("avx2")
#include "sort/layout_loops.h"

#include <immintrin.h>

uint64_t tm_layout_varying_wide(const uint8_t *data, size_t width, uint32_t count)
{
    uint64_t varying = layout_varying(data, width, count);
    _mm256_zeroupper(); /* see base/hash_wide.c */
    return varying;
}

void tm_layout_pack_wide(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words)
{
    layout_pack(layout, batch, words);
    _mm256_zeroupper();
}

void tm_layout_unpack_wide(const struct tm_collector_lane *lane, enum tm_column column, uint8_t *to)
{
    layout_unpack(lane, column, to);
    _mm256_zeroupper();
}
#else
typedef int tm_layout_wide_is_empty;
#endif
