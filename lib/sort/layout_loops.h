/* Private to layouts and lanes: their loops. They are compiled twice, once for the base processor and once for wider
 * vectors. Each has a loop over whole tiles of a fixed size, which compilers vectorise, and a remainder. */
#ifndef TM_SORT_LAYOUT_LOOPS_H
#define TM_SORT_LAYOUT_LOOPS_H

#include "sort/collector_lane.h"

#include <stdbool.h>

enum { LAYOUT_TILE = 32 /* divides TM_COLLECTOR_TILE */ };

/* Bits that are set in any of the values, and bits that are set in all. */
struct layout_bits {
    uint64_t any, all;
};

static inline struct layout_bits layout_bits64(const uint8_t *data, uint32_t count)
{
    struct layout_bits b = {0, UINT64_MAX};
    for (uint32_t i = 0; i < count; i++) {
        b.any |= tm_get_le64(data + (size_t)8 * i);
        b.all &= tm_get_le64(data + (size_t)8 * i);
    }
    return b;
}

static inline struct layout_bits layout_bits32(const uint8_t *data, uint32_t count)
{
    uint32_t any = 0, all = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        any |= tm_get_le32(data + (size_t)4 * i);
        all &= tm_get_le32(data + (size_t)4 * i);
    }
    return (struct layout_bits){any, all};
}

/* Returns the bits that differ between COUNT values of WIDTH bytes. */
static inline uint64_t layout_varying(const uint8_t *data, size_t width, uint32_t count)
{
    struct layout_bits all = {0, UINT64_MAX};
    uint32_t i = 0;
    for (; count - i >= LAYOUT_TILE; i += LAYOUT_TILE) {
        struct layout_bits b = width == 8 ? layout_bits64(data + width * i, LAYOUT_TILE)
                                          : layout_bits32(data + width * i, LAYOUT_TILE);
        all = (struct layout_bits){all.any | b.any, all.all & b.all};
    }
    struct layout_bits b = width == 8 ? layout_bits64(data + width * i, count - i)
                                      : layout_bits32(data + width * i, count - i);
    return (all.any | b.any) & ~(all.all & b.all);
}

/* Writes PART of COUNT elements at DATA to WORDS. The first part of a word is at its bit 0 and overwrites the word;
 * others are added. */
static inline void layout_pack64(uint64_t *restrict words, const uint8_t *restrict data,
                                 const struct tm_layout_part *part, uint32_t count)
{
    uint64_t mask = part->mask;
    unsigned low = part->low, shift = part->shift;
    if (shift == 0) {
        for (uint32_t i = 0; i < count; i++)
            words[i] = tm_get_le64(data + (size_t)8 * i) >> low & mask;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] |= (tm_get_le64(data + (size_t)8 * i) >> low & mask) << shift;
}

static inline void layout_pack32(uint64_t *restrict words, const uint8_t *restrict data,
                                 const struct tm_layout_part *part, uint32_t count)
{
    uint32_t mask = (uint32_t)part->mask;
    unsigned low = part->low, shift = part->shift;
    if (shift == 0) {
        for (uint32_t i = 0; i < count; i++)
            words[i] = tm_get_le32(data + (size_t)4 * i) >> low & mask;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        words[i] |= (uint64_t)(tm_get_le32(data + (size_t)4 * i) >> low & mask) << shift;
}

static inline void layout_pack_part(uint64_t *words, const uint8_t *data, size_t width,
                                    const struct tm_layout_part *part, uint32_t count)
{
    uint32_t i = 0;
    for (; count - i >= LAYOUT_TILE; i += LAYOUT_TILE) {
        if (width == 8)
            layout_pack64(words + i, data + width * i, part, LAYOUT_TILE);
        else
            layout_pack32(words + i, data + width * i, part, LAYOUT_TILE);
    }
    if (width == 8)
        layout_pack64(words + i, data + width * i, part, count - i);
    else
        layout_pack32(words + i, data + width * i, part, count - i);
}

/* Writes PART of COUNT equal elements VALUE to WORDS. */
static inline void layout_pack_value(uint64_t *words, uint64_t value, const struct tm_layout_part *part, uint32_t count)
{
    value = (value >> part->low & part->mask) << part->shift;
    if (part->shift == 0) {
        for (uint32_t i = 0; i < count; i++)
            words[i] = value;
        return;
    }
    if (value == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        words[i] |= value;
}

static inline void layout_pack(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        const struct tm_batch_col *col = &batch->cols[c];
        size_t width = tm_column_width((enum tm_column)c);
        for (uint32_t p = 0; p < layout->part_counts[c]; p++) {
            const struct tm_layout_part *part = &layout->parts[c][p];
            uint64_t *to = words + (size_t)part->word * batch->count;
            if (col->mask)
                layout_pack_part(to, col->data, width, part, batch->count);
            else
                layout_pack_value(to, width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data), part, batch->count);
        }
    }
}

static inline void layout_add64(uint64_t *restrict to, const uint64_t *restrict words,
                                const struct tm_layout_part *part)
{
    uint64_t mask = part->mask;
    unsigned low = part->low, shift = part->shift;
    for (uint32_t i = 0; i < LAYOUT_TILE; i++)
        to[i] |= (words[i] >> shift & mask) << low;
}

static inline void layout_add32(uint32_t *restrict to, const uint64_t *restrict words,
                                const struct tm_layout_part *part)
{
    uint32_t mask = (uint32_t)part->mask;
    unsigned low = part->low, shift = part->shift;
    for (uint32_t i = 0; i < LAYOUT_TILE; i++)
        to[i] |= ((uint32_t)(words[i] >> shift) & mask) << low;
}

/* Handles the first part of a column, which usually begins at bit 0. */
static inline void layout_first64(uint64_t *restrict to, const uint64_t *restrict words,
                                  const struct tm_layout_part *part, uint64_t constant)
{
    uint64_t mask = part->mask;
    unsigned low = part->low, shift = part->shift;
    if (low == 0) {
        for (uint32_t i = 0; i < LAYOUT_TILE; i++)
            to[i] = (words[i] >> shift & mask) | constant;
        return;
    }
    for (uint32_t i = 0; i < LAYOUT_TILE; i++)
        to[i] = (words[i] >> shift & mask) << low | constant;
}

static inline void layout_first32(uint32_t *restrict to, const uint64_t *restrict words,
                                  const struct tm_layout_part *part, uint32_t constant)
{
    uint32_t mask = (uint32_t)part->mask;
    unsigned low = part->low, shift = part->shift;
    for (uint32_t i = 0; i < LAYOUT_TILE; i++)
        to[i] = ((uint32_t)(words[i] >> shift) & mask) << low | constant;
}

/* Returns how many rows the tile from AT on has. */
static inline uint32_t layout_rows_of_tile(const struct tm_collector_lane *lane, uint32_t at)
{
    return lane->count - at < LAYOUT_TILE ? lane->count - at : LAYOUT_TILE;
}

/* True if the rows of a whole tile from AT on go to adjacent places. */
static inline bool layout_is_range(const struct tm_collector_lane *lane, uint32_t at)
{
    return lane->count - at >= LAYOUT_TILE && lane->places[at + LAYOUT_TILE - 1] - lane->places[at] == LAYOUT_TILE - 1;
}

/* Writes COUNT values to their PLACES. Four are written in each turn of the loop, which halves its instructions. */
static inline void layout_scatter64(uint8_t *restrict to, const uint32_t *restrict places,
                                    const uint64_t *restrict values, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        tm_put_le64(to + (size_t)8 * places[i], values[i]);
        tm_put_le64(to + (size_t)8 * places[i + 1], values[i + 1]);
        tm_put_le64(to + (size_t)8 * places[i + 2], values[i + 2]);
        tm_put_le64(to + (size_t)8 * places[i + 3], values[i + 3]);
    }
    for (; i < count; i++)
        tm_put_le64(to + (size_t)8 * places[i], values[i]);
}

static inline void layout_scatter32(uint8_t *restrict to, const uint32_t *restrict places,
                                    const uint32_t *restrict values, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        tm_put_le32(to + (size_t)4 * places[i], values[i]);
        tm_put_le32(to + (size_t)4 * places[i + 1], values[i + 1]);
        tm_put_le32(to + (size_t)4 * places[i + 2], values[i + 2]);
        tm_put_le32(to + (size_t)4 * places[i + 3], values[i + 3]);
    }
    for (; i < count; i++)
        tm_put_le32(to + (size_t)4 * places[i], values[i]);
}

static inline void layout_copy64(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                                 enum tm_column column, uint8_t *restrict to)
{
    const struct tm_block_layout *layout = lane->layout;
    for (uint32_t at = 0; at < lane->count; at += LAYOUT_TILE) {
        uint64_t values[LAYOUT_TILE];
        layout_first64(values, words->at[layout->parts[column][0].word] + at, &layout->parts[column][0],
                layout->constants[column]);
        for (uint32_t p = 1; p < layout->part_counts[column]; p++)
            layout_add64(values, words->at[layout->parts[column][p].word] + at, &layout->parts[column][p]);
        uint8_t *range = to + (size_t)8 * lane->places[at];
        if (layout_is_range(lane, at)) {
            for (uint32_t i = 0; i < LAYOUT_TILE; i++)
                tm_put_le64(range + (size_t)8 * i, values[i]);
            continue;
        }
        layout_scatter64(to, lane->places + at, values, layout_rows_of_tile(lane, at));
    }
}

static inline void layout_copy32(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                                 enum tm_column column, uint8_t *restrict to)
{
    const struct tm_block_layout *layout = lane->layout;
    for (uint32_t at = 0; at < lane->count; at += LAYOUT_TILE) {
        uint32_t values[LAYOUT_TILE];
        layout_first32(values, words->at[layout->parts[column][0].word] + at, &layout->parts[column][0],
                (uint32_t)layout->constants[column]);
        for (uint32_t p = 1; p < layout->part_counts[column]; p++)
            layout_add32(values, words->at[layout->parts[column][p].word] + at, &layout->parts[column][p]);
        uint8_t *range = to + (size_t)4 * lane->places[at];
        if (layout_is_range(lane, at)) {
            for (uint32_t i = 0; i < LAYOUT_TILE; i++)
                tm_put_le32(range + (size_t)4 * i, values[i]);
            continue;
        }
        layout_scatter32(to, lane->places + at, values, layout_rows_of_tile(lane, at));
    }
}

static inline void layout_unpack(const struct tm_collector_lane *lane, const struct tm_lane_words *words,
                                 enum tm_column column, uint8_t *to)
{
    if (tm_column_width(column) == 8)
        layout_copy64(lane, words, column, to);
    else
        layout_copy32(lane, words, column, to);
}

#endif
