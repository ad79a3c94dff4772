#include "sort/block_layout.h"

#include "base/cpu.h"
#include "base/table.h"
#include "sort/layout_loops.h"
#include "sort/layout_wide.h"

#include <assert.h>
#include <stdlib.h>

enum {
    TIME_STEP = 12, /* granularity of time, which keeps the number of layouts low */
    POSITION_STEP = 8,
    POSITION_LEAST = 1 << 23,
    FILE_STEP = 8,
    NUMBER_STEP = 6, /* granularity of names, sequences and other numbers */
    TASK_STEP = 8,
    TRACK_STEP = 16,
    GAP_MIN = 6,  /* a gap of at least so many constant bits separates two parts */
    TIGHT_MAX = 8 /* with more layouts than this, a new one is widened to hold as much as fits */
};

/* What a layout must hold: the varying bits of each column, and the values of the others. */
struct demand {
    uint64_t varying[TM_COL_COUNT], constants[TM_COL_COUNT];
};

/* Returns all bits up to the highest one of V, rounded up to a multiple of STEP bits. Returns 0 for 0. */
static uint64_t filled(uint64_t v, unsigned step)
{
    if (v == 0)
        return 0;
    unsigned bits = (tm_highest_bit(v) / step + 1) * step;
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* Returns the bits of COLUMN to keep, given that bits V vary and that VALUE is one of its values. Columns that a
 * merge compares become one part from bit 0 on. Numbers that grow from file to file get room to grow, which lets
 * blocks of all files share one layout. */
static uint64_t rounded(enum tm_column column, uint64_t v, uint64_t value)
{
    switch (column) {
    case TM_COL_TIME_NS:
        return filled(v, TIME_STEP);
    case TM_COL_POSITION:
        return filled(v ? v | POSITION_LEAST : 0, POSITION_STEP);
    case TM_COL_FILE:
        return filled(v | value | 1, FILE_STEP);
    case TM_COL_MACHINE:
    case TM_COL_SEQUENCE:
    case TM_COL_GENERATION:
    case TM_COL_NAME:
    case TM_COL_CATEGORY:
        return filled(v | value, NUMBER_STEP);
    case TM_COL_PID:
    case TM_COL_TID:
        return filled(v, TASK_STEP);
    case TM_COL_TRACK:
        return filled(v, TRACK_STEP);
    case TM_COL_RAW_BYTES:
    case TM_COL_DETAIL_BYTES:
        return filled(v, 1);
    default:
        return v;
    }
}

static uint64_t varying_of(const uint8_t *data, size_t width, uint32_t count)
{
#if TM_LAYOUT_WIDE
    if (tm_cpu_has_avx2())
        return tm_layout_varying_wide(data, width, count);
#endif
    return layout_varying(data, width, count);
}

static void find_demand(struct demand *d, const struct tm_batch *batch)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        const struct tm_batch_col *col = &batch->cols[c];
        size_t width = tm_column_width((enum tm_column)c);
        uint64_t value = width == 4 ? tm_get_le32(col->data) : tm_get_le64(col->data);
        uint64_t v = col->mask ? varying_of(col->data, width, batch->count) : 0;
        d->varying[c] = rounded((enum tm_column)c, v, value);
        d->constants[c] = value & ~d->varying[c];
    }
}

static bool holds(const struct tm_block_layout *layout, const struct demand *d)
{
    uint64_t lacks = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        lacks |= (d->varying[c] | (d->constants[c] ^ layout->constants[c])) & ~layout->varying[c];
    return lacks == 0;
}

/* Extends D by what LAYOUT holds. */
static void widen(struct demand *d, const struct tm_block_layout *layout)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        d->varying[c] |= layout->varying[c] | (d->constants[c] ^ layout->constants[c]);
        d->varying[c] = rounded((enum tm_column)c, d->varying[c], d->constants[c]);
        d->constants[c] &= ~d->varying[c];
    }
}

/* Places a part of BITS bits in the first word with room for it. USED counts the bits taken in each word. */
static void place(struct tm_block_layout *layout, struct tm_layout_part *part, unsigned bits, uint8_t *used)
{
    uint32_t word = 0;
    assert(bits > 0 && bits <= 64);
    while (used[word] + bits > 64)
        word++;
    part->mask = UINT64_MAX >> (64 - bits);
    part->word = (uint8_t)word;
    part->shift = used[word];
    used[word] = (uint8_t)(used[word] + bits);
    layout->words = word >= layout->words ? word + 1 : layout->words;
}

/* Divides the varying bits of COLUMN into parts. Small gaps become part of them. If the parts run out, the last one
 * takes all remaining bits. */
static void place_column(struct tm_block_layout *layout, enum tm_column column, uint8_t *used)
{
    uint64_t left = layout->varying[column], kept = 0;
    uint8_t *count = &layout->part_counts[column];
    while (left) {
        struct tm_layout_part *part = &layout->parts[column][*count];
        unsigned low = tm_trailing_zeros(left), end = low, top = tm_highest_bit(left);
        while (end <= top && (left >> end & ((UINT64_C(1) << GAP_MIN) - 1) || *count + 1 == TM_LAYOUT_PARTS))
            end++;
        end = end > top ? top + 1 : end;
        part->low = (uint8_t)low;
        place(layout, part, end - low, used);
        kept |= part->mask << low;
        left &= ~kept;
        (*count)++;
    }
    layout->varying[column] = kept;
    layout->constants[column] &= ~kept;
}

static void lay_out(struct tm_block_layout *layout, const struct demand *d)
{
    uint8_t used[TM_LAYOUT_WORDS] = {0};
    *layout = (struct tm_block_layout){.words = 1};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        layout->varying[c] = d->varying[c];
        layout->constants[c] = d->constants[c];
        place_column(layout, (enum tm_column)c, used);
    }
    layout->stride = 8 * (layout->words - 1) + (used[layout->words - 1] + 7u) / 8;
}

/* Returns the bytes of a record with these bits if no word has a gap. */
static uint32_t bytes_of(const struct demand *d)
{
    uint32_t bits = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bits += tm_set_bits(d->varying[c]);
    return (bits + 7) / 8;
}

/* True if records of BYTES bytes are much larger than D requires. The first batch of a file often holds more than
 * later ones, descriptors above all. */
static bool is_loose(uint32_t bytes, const struct demand *d)
{
    uint32_t need = bytes_of(d);
    return bytes > need + need / 4 + 1;
}

const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *l, const struct tm_batch *batch)
{
    const struct tm_block_layout *best = NULL;
    bool may_be_tight = l->count < TIGHT_MAX;
    struct demand demand, wide;
    find_demand(&demand, batch);
    for (uint32_t i = l->count; i-- > 0;)
        if ((best == NULL || l->all[i]->stride < best->stride) && holds(l->all[i], &demand))
            best = l->all[i];
    if (best && !(may_be_tight && is_loose(best->stride, &demand)))
        return best;
    if (tm_array_grow(&l->all, &l->cap, l->count, sizeof *l->all, NULL) < 0)
        return NULL;
    struct tm_block_layout *layout = malloc(sizeof *layout);
    if (layout == NULL)
        return NULL;
    wide = demand;
    if (l->count > 0) /* keeps the number of layouts low */
        widen(&wide, l->all[l->count - 1]);
    lay_out(layout, may_be_tight && is_loose(bytes_of(&wide), &demand) ? &demand : &wide);
    layout->index = l->count;
    l->all[l->count++] = layout;
    return layout;
}

void tm_block_layout_pack(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words)
{
#if TM_LAYOUT_WIDE
    if (tm_cpu_has_avx2()) {
        tm_layout_pack_wide(layout, batch, words);
        return;
    }
#endif
    layout_pack(layout, batch, words);
}

void tm_block_layouts_release(struct tm_block_layouts *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        free(l->all[i]);
    free(l->all);
    *l = (struct tm_block_layouts){0};
}
