#include "sort/block_layout.h"

#include "sort/layout_loops.h"
#include "sort/layout_wide.h"

#include <stdlib.h>

enum {
    LAYOUTS_FIRST_CAP = 8,
    TIME_STEP = 12, /* bits that are added at once, so that there are few layouts */
    POSITION_STEP = 8,
    POSITION_LEAST = 1 << 23,
    FILE_STEP = 8,
    NUMBER_STEP = 6, /* of names, sequences and the like */
    TASK_STEP = 8,
    TRACK_STEP = 16,
    GAP_MIN = 6,  /* bits that do not vary between two parts */
    TIGHT_MAX = 8 /* layouts; with more of them new ones are made to hold as much as they can */
};

/* What is to be held: of each column the bits that vary, and what the others are. */
struct demand {
    uint64_t varying[TM_COL_COUNT], constants[TM_COL_COUNT];
};

/* All bits up to the highest of V, in steps of STEP bits; none where V has none. */
static uint64_t filled(uint64_t v, unsigned step)
{
    if (v == 0)
        return 0;
    unsigned bits = (tm_highest_bit(v) / step + 1) * step;
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

/* V, bits that vary of COLUMN, one of whose values is VALUE, with those that are kept with them. What a merge looks at
 * is one part from bit 0 on. Numbers that grow from file to file have room, so that blocks of all have one layout. */
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
    if (__builtin_cpu_supports("avx2"))
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

/* D also holds what LAYOUT holds. */
static void widen(struct demand *d, const struct tm_block_layout *layout)
{
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        d->varying[c] |= layout->varying[c] | (d->constants[c] ^ layout->constants[c]);
        d->varying[c] = rounded((enum tm_column)c, d->varying[c], d->constants[c]);
        d->constants[c] &= ~d->varying[c];
    }
}

/* Puts a part of BITS bits where a word has room for it; USED: bits of each word that are taken. */
static void place(struct tm_block_layout *layout, struct tm_layout_part *part, unsigned bits, uint8_t *used)
{
    uint32_t word = 0;
    while (used[word] + bits > 64)
        word++;
    part->mask = UINT64_MAX >> (64 - bits);
    part->word = (uint8_t)word;
    part->shift = used[word];
    used[word] = (uint8_t)(used[word] + bits);
    layout->words = word >= layout->words ? word + 1 : layout->words;
}

/* Divides the bits of COLUMN that vary into parts; small gaps belong to them, and so do all before the last part. */
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

/* Bytes that a record with these bits takes, if no word has a gap. */
static uint32_t bytes_of(const struct demand *d)
{
    uint32_t bits = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bits += (uint32_t)__builtin_popcountll(d->varying[c]);
    return (bits + 7) / 8;
}

/* True when records of BYTES are much larger than D asks for. The first batch of a file has much that those behind it
 * do not have, descriptors above all. */
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
    wide = demand;
    if (l->count > 0) /* so that there are not many */
        widen(&wide, l->all[l->count - 1]);
    lay_out(layout, may_be_tight && is_loose(bytes_of(&wide), &demand) ? &demand : &wide);
    layout->index = l->count;
    l->all[l->count++] = layout;
    return layout;
}

void tm_block_layout_pack(const struct tm_block_layout *layout, const struct tm_batch *batch, uint64_t *words)
{
#if TM_LAYOUT_WIDE
    if (__builtin_cpu_supports("avx2")) {
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
