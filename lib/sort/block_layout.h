/* How rows of a block lie in memory when they are kept row by row: which columns a record has and
 * where, and the element that all rows share in the others. Blocks with one layout are gathered
 * without looking at the blocks. */
#ifndef TM_SORT_BLOCK_LAYOUT_H
#define TM_SORT_BLOCK_LAYOUT_H

#include "stream/batch.h"

struct tm_block_layout {
    uint32_t varying;                     /* bit a column: it is in the record */
    uint32_t stride;                      /* bytes of a record */
    uint8_t offsets[TM_COL_COUNT];        /* of a varying column in the record */
    uint8_t constants[TM_COL_COUNT][8];   /* of the other columns */
};

/* The element of COLUMN in RECORD. */
static inline const uint8_t *tm_block_layout_element(const struct tm_block_layout *layout, const uint8_t *record,
                                                     enum tm_column column)
{
    return layout->varying >> column & 1 ? record + layout->offsets[column] : layout->constants[column];
}

/* Layouts in use; they live as long as the set. Zero-initialise. */
struct tm_block_layouts {
    /* private */
    struct tm_block_layout **all;
    uint32_t count, cap;
};

/* A layout that can hold BATCH: one in use where possible. NULL when there is no memory. */
const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *layouts, const struct tm_batch *batch);

void tm_block_layouts_release(struct tm_block_layouts *layouts);

#endif
