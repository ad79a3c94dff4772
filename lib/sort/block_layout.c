#include "sort/block_layout.h"

#include <stdlib.h>

/* From so many layouts on a new one is widened so that it also holds what the last one held. */
enum { LAYOUTS_EXACT = 2, LAYOUTS_FIRST_CAP = 8 };

/* What is to be held: of each column the value, where there is one, and the bytes that all values fit in, 0 where
 * there is one. */
struct demand {
    uint64_t constants[TM_COL_COUNT];
    uint8_t widths[TM_COL_COUNT];
};

static uint8_t width_of(uint64_t bits)
{
    return bits >> 32 ? 8 : bits >> 16 ? 4 : bits >> 8 ? 2 : 1;
}

/* All bits that are set in one of COUNT values of WIDTH bytes. */
static uint64_t bits_of(const uint8_t *data, size_t width, uint32_t count)
{
    const uint8_t *end = data + width * count, *p = data;
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (; end - p >= 32; p += 32) {
        a |= tm_get_le64(p);
        b |= tm_get_le64(p + 8);
        c |= tm_get_le64(p + 16);
        d |= tm_get_le64(p + 24);
    }
    a |= b | c | d;
    if (width == 4)
        a = (a | a >> 32) & UINT32_MAX;
    for (; p < end; p += width)
        a |= width == 4 ? tm_get_le32(p) : tm_get_le64(p);
    return a;
}

static void find_demand(struct demand *d, const struct tm_batch *batch)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        const struct tm_batch_col *col = &batch->cols[c];
        size_t width = tm_column_width((enum tm_column)c);
        d->constants[c] = width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
        d->widths[c] = 0;
        if (col->mask)
            d->widths[c] = c == TM_COL_TIME_NS ? 8 : width_of(bits_of(col->data, width, batch->count));
    }
}

static bool holds(const struct tm_block_layout *layout, const struct demand *d)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        unsigned has = layout->widths[c];
        if (has == 0 ? d->widths[c] != 0 || d->constants[c] != layout->constants[c]
                     : has < (d->widths[c] ? d->widths[c] : width_of(d->constants[c])))
            return false;
    }
    return true;
}

/* D also holds what LAYOUT holds. */
static void widen(struct demand *d, const struct tm_block_layout *layout)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        uint8_t mine = d->widths[c] ? d->widths[c] : width_of(d->constants[c]);
        uint8_t other = layout->widths[c] ? layout->widths[c] : width_of(layout->constants[c]);
        if (d->widths[c] || layout->widths[c] || d->constants[c] != layout->constants[c])
            d->widths[c] = c == TM_COL_TIME_NS ? 8 : mine > other ? mine : other;
    }
}

static void lay_out(struct tm_block_layout *layout, const struct demand *d)
{
    *layout = (struct tm_block_layout){0};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        layout->widths[c] = d->widths[c];
        layout->constants[c] = d->constants[c];
        layout->offsets[c] = (uint8_t)layout->stride;
        layout->stride += d->widths[c];
    }
}

const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *l, const struct tm_batch *batch)
{
    const struct tm_block_layout *best = NULL;
    struct demand demand;
    find_demand(&demand, batch);
    for (uint32_t i = l->count; i-- > 0;)
        if ((best == NULL || l->all[i]->stride < best->stride) && holds(l->all[i], &demand))
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
    if (l->count >= LAYOUTS_EXACT)
        widen(&demand, l->all[l->count - 1]);
    lay_out(layout, &demand);
    layout->index = l->count;
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
