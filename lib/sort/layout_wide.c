/* The loops of layout_loops.h, compiled for processors with wider vectors. */
#include "sort/layout_wide.h"

#if TM_LAYOUT_WIDE
#pragma GCC target("avx2")
#include "base/cpu.h"
#include "sort/layout_loops.h"

uint64_t tm_layout_varying_wide(const uint8_t *data, size_t width, uint32_t count)
{
    uint64_t varying = layout_varying(data, width, count);
    tm_cpu_clear_upper_avx(); /* see base/hash_wide.c */
    return varying;
}

void tm_layout_pack_wide(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words)
{
    layout_pack(layout, batch, words);
    tm_cpu_clear_upper_avx();
}

void tm_layout_unpack_wide(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                           enum tm_column column, uint8_t *to)
{
    layout_unpack(lane, words, column, to);
    tm_cpu_clear_upper_avx();
}
#else
typedef int tm_layout_wide_is_empty;
#endif
