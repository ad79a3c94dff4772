/* How rows of a block lie in memory when they are kept row by row: as records of bits. Of each column a record has the
 * bits that differ between the rows the layout was made for; what the others are, all rows share. So time on end of a
 * trace is five bytes, a flag or the number of a name a few bits, and what never changes nothing. Blocks with one
 * layout are gathered without looking at the blocks.
 *
 * Bits of a column that follow each other are a part, which lies in one of the record's words of 64 bits. The last word
 * may reach into what lies behind the record. */
#ifndef TM_SORT_BLOCK_LAYOUT_H
#define TM_SORT_BLOCK_LAYOUT_H

#include "stream/batch.h"

enum {
    TM_LAYOUT_PARTS = 3, /* of a column at most */
    TM_LAYOUT_WORDS = 32 /* more than any layout takes: all columns have 832 bits, and no two words are half empty */
};

/* Bits LOW and up of a column, as many as MASK has, which are in WORD from SHIFT on. */
struct tm_layout_part {
    uint64_t mask; /* 0: the column has no part */
    uint8_t word, shift, low;
};

struct tm_block_layout {
    uint32_t index;                   /* in the set */
    uint32_t stride;                  /* bytes of a record */
    uint32_t words;                   /* of a record */
    uint64_t varying[TM_COL_COUNT];   /* bits of a column that are in the record */
    uint64_t constants[TM_COL_COUNT]; /* the others */
    uint8_t part_counts[TM_COL_COUNT];
    struct tm_layout_part parts[TM_COL_COUNT][TM_LAYOUT_PARTS];
};

static inline uint64_t tm_layout_part_at(const struct tm_layout_part *part, const uint8_t *record)
{
    return (tm_get_le64(record + 8 * part->word) >> part->shift & part->mask) << part->low;
}

/* The value of COLUMN in RECORD. Of time and of lengths the first part is all. */
static inline uint64_t tm_block_layout_value(const struct tm_block_layout *layout, const uint8_t *record,
                                             enum tm_column column)
{
    const struct tm_layout_part *part = layout->parts[column], *end = part + layout->part_counts[column];
    uint64_t value = layout->constants[column] | tm_layout_part_at(part, record);
    while (++part < end)
        value |= tm_layout_part_at(part, record);
    return value;
}

/* Writes the records of BATCH to WORDS: word W of row I is WORDS[W * batch->count + I], of layout->words a row. */
void tm_block_layout_pack(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words);

/* Layouts in use; they live as long as the set. Zero-initialise. */
struct tm_block_layouts {
    struct tm_block_layout **all;
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* A layout that can hold BATCH: one in use where possible. NULL when there is no memory. */
const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *layouts, const struct tm_batch *batch);

void tm_block_layouts_release(struct tm_block_layouts *layouts);

#endif
