#include "sort/block_layout.h"

#include <stdlib.h>

/* From so many layouts on a new one is widened so that it also holds what the last one held. */
enum { LAYOUTS_EXACT = 4, LAYOUTS_FIRST_CAP = 8 };

static bool holds(const struct tm_block_layout *layout, const struct tm_batch *batch)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        if (layout->varying >> c & 1)
            continue;
        if (batch->cols[c].mask != 0 ||
            memcmp(batch->cols[c].data, layout->constants[c], tm_column_width((enum tm_column)c)) != 0)
            return false;
    }
    return true;
}

static void lay_out(struct tm_block_layout *layout, const struct tm_batch *batch, const struct tm_block_layout *widen)
{
    *layout = (struct tm_block_layout){0};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        size_t width = tm_column_width((enum tm_column)c);
        bool varies = batch->cols[c].mask != 0;
        if (widen)
            varies |= (widen->varying >> c & 1) || memcmp(batch->cols[c].data, widen->constants[c], width) != 0;
        if (!varies) {
            memcpy(layout->constants[c], batch->cols[c].data, width);
            continue;
        }
        layout->varying |= UINT32_C(1) << c;
        layout->offsets[c] = (uint8_t)layout->stride;
        layout->stride += (uint32_t)width;
    }
}

const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *l, const struct tm_batch *batch)
{
    const struct tm_block_layout *best = NULL;
    for (uint32_t i = l->count; i-- > 0;)
        if ((best == NULL || l->all[i]->stride < best->stride) && holds(l->all[i], batch))
            best = l->all[i];
    if (best)
        return best;
    if (l->count == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : LAYOUTS_FIRST_CAP;
        struct tm_block_layout **all = realloc(l->all, cap * sizeof(struct tm_block_layout *));
        if (all == NULL)
            return NULL;
        l->all = all;
        l->cap = cap;
    }
    struct tm_block_layout *layout = malloc(sizeof *layout);
    if (layout == NULL)
        return NULL;
    lay_out(layout, batch, l->count >= LAYOUTS_EXACT ? l->all[l->count - 1] : NULL);
    l->all[l->count++] = layout;
    return layout;
}

void tm_block_layouts_release(struct tm_block_layouts *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        free(l->all[i]);
    free(l->all);
    *l = (struct tm_block_layouts){0};
}
