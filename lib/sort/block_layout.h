/* The layout of rows that are kept row by row, as records of bits. A record holds only those bits of a column that
 * differ between the rows the layout was made for. The other bits are constants of the layout. A time takes about five
 * bytes, a flag or the number of a name a few bits, and a constant nothing. Blocks with one layout are copied to
 * columns together.
 *
 * Adjacent bits of a column form a part. Each part lies within one 64-bit word of the record. The last word may reach
 * beyond the record's end. */
#ifndef TM_SORT_BLOCK_LAYOUT_H
#define TM_SORT_BLOCK_LAYOUT_H

#include "stream/batch.h"

#include <pthread.h>

enum {
    TM_LAYOUT_PARTS = 3, /* parts of a column, at most */
    TM_LAYOUT_WORDS = 32 /* no layout takes more: all columns have 832 bits, and no two words are half empty */
};

/* A part of a column. It has as many bits as MASK, from bit LOW of the column on. They lie in WORD of the record from
 * bit SHIFT on. */
struct tm_layout_part {
    uint64_t mask; /* 0: the part is empty */
    uint8_t word, shift, low;
};

struct tm_block_layout {
    uint32_t index;                   /* in struct tm_block_layouts */
    uint32_t stride;                  /* bytes of a record */
    uint32_t words;                   /* words of a record */
    uint64_t varying[TM_COL_COUNT];   /* bits of each column that the record holds */
    uint64_t constants[TM_COL_COUNT]; /* the values of all other bits */
    uint8_t part_counts[TM_COL_COUNT];
    struct tm_layout_part parts[TM_COL_COUNT][TM_LAYOUT_PARTS];
};

static inline uint64_t tm_layout_part_at(const struct tm_layout_part *part, const uint8_t *record)
{
    return (tm_get_le64(record + 8 * part->word) >> part->shift & part->mask) << part->low;
}

/* Returns the value of COLUMN in RECORD. Time and lengths have one part only. */
static inline uint64_t tm_block_layout_value(const struct tm_block_layout *layout, const uint8_t *record,
                                             enum tm_column column)
{
    const struct tm_layout_part *part = layout->parts[column], *end = part + layout->part_counts[column];
    uint64_t value = layout->constants[column] | tm_layout_part_at(part, record);
    while (++part < end)
        value |= tm_layout_part_at(part, record);
    return value;
}

/* Writes the records of BATCH to WORDS. Word W of row I goes to WORDS[W * batch->count + I]. WORDS has room for
 * layout->words of each row. */
void tm_block_layout_pack(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words);

enum { TM_LAYOUTS_OFFERED = 8 /* layouts that new blocks can get, at a time */ };

/* Layouts in use. They live as long as the set. Zero-initialise. */
struct tm_block_layouts {
    struct tm_block_layout **all;
    uint32_t count;
    pthread_mutex_t *lock; /* under it several threads look for layouts; NULL: one thread does; borrowed */
    /* private */
    uint32_t cap;
    const struct tm_block_layout *offered[TM_LAYOUTS_OFFERED];
    uint32_t offered_count;
};

/* Keeps other threads from adding layouts. */
static inline void tm_block_layouts_lock(const struct tm_block_layouts *layouts)
{
    if (layouts->lock)
        (void)pthread_mutex_lock(layouts->lock);
}

static inline void tm_block_layouts_unlock(const struct tm_block_layouts *layouts)
{
    if (layouts->lock)
        (void)pthread_mutex_unlock(layouts->lock);
}

/* Returns a layout that can hold BATCH, an existing one where possible. Returns NULL if there is no memory. The lock
 * must be free. */
const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *layouts, const struct tm_batch *batch);

void tm_block_layouts_release(struct tm_block_layouts *layouts);

#endif
