/* Private to layouts and lanes: functions compiled for AVX2, where the compiler can do that for one file. They may
 * only be called on processors that have AVX2. */
#ifndef TM_SORT_LAYOUT_WIDE_H
#define TM_SORT_LAYOUT_WIDE_H

#include "sort/collector_lane.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define TM_LAYOUT_WIDE 1
#else
#define TM_LAYOUT_WIDE 0
#endif

#if TM_LAYOUT_WIDE
uint64_t tm_layout_varying_wide(const uint8_t *data, size_t width, uint32_t count);
void tm_layout_pack_wide(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words);
void tm_layout_unpack_wide(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                           enum tm_column column, uint8_t *to);
#endif

#endif
