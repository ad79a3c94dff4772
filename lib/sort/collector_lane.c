#include "sort/collector_lane.h"

#include "base/cpu.h"
#include "sort/layout_loops.h"
#include "sort/layout_wide.h"

void tm_collector_lane_read(const struct tm_collector_lane *lane, struct tm_lane_words *read)
{
    uint32_t count = lane->count, words = lane->layout->words;
    for (uint32_t w = 0; w < words; w++)
        for (uint32_t i = 0; i < count; i++)
            read->at[w][i] = tm_get_le64(lane->records[i] + (size_t)8 * w);
    for (uint32_t w = 0; w < words; w++) /* the loops below run to the end of a tile */
        for (uint32_t i = count; i % LAYOUT_TILE; i++)
            read->at[w][i] = 0;
}

void tm_collector_lane_copy(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                            enum tm_column column, uint8_t *to)
{
#if TM_LAYOUT_WIDE
    if (tm_cpu_has_avx2()) {
        tm_layout_unpack_wide(lane, words, column, to);
        return;
    }
#endif
    layout_unpack(lane, words, column, to);
}
