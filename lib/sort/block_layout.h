/* How rows of a block lie in memory when they are kept row by row: which columns a record has, where and in how many
 * bytes, and the value that all rows share in the others. Columns take as many bytes as the largest value needs, but
 * time_ns, which the merge looks at, takes eight. Blocks with one layout are gathered without looking at the blocks. */
#ifndef TM_SORT_BLOCK_LAYOUT_H
#define TM_SORT_BLOCK_LAYOUT_H

#include "stream/batch.h"

struct tm_block_layout {
    uint32_t index;                   /* in the set */
    uint32_t stride;                  /* bytes of a record */
    uint8_t widths[TM_COL_COUNT];     /* of a column in the record: 1, 2, 4 or 8; 0: all rows share a value */
    uint8_t offsets[TM_COL_COUNT];    /* of a column in the record */
    uint64_t constants[TM_COL_COUNT]; /* of the columns that are not in the record */
};

/* The value of WIDTH bytes at P. */
static inline uint64_t tm_block_layout_get(const uint8_t *p, unsigned width)
{
    switch (width) {
    case 1:
        return *p;
    case 2:
        return tm_get_le16(p);
    case 4:
        return tm_get_le32(p);
    default:
        return tm_get_le64(p);
    }
}

/* The value of COLUMN in RECORD. */
static inline uint64_t tm_block_layout_value(const struct tm_block_layout *layout, const uint8_t *record,
                                             enum tm_column column)
{
    unsigned width = layout->widths[column];
    return width ? tm_block_layout_get(record + layout->offsets[column], width) : layout->constants[column];
}

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
