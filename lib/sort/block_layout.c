#include "sort/block_layout.h"

#include "base/cpu.h"
#include "base/table.h"
#include "sort/layout_loops.h"
#include "sort/layout_wide.h"

#include <stdlib.h>

enum {
    TIME_STEP = 12, /* granularity of time, which keeps the number of layouts low */
    POSITION_STEP = 8,
    POSITION_LEAST = 1 << 23,
    FILE_STEP = 8,
    NUMBER_STEP = 6, /* granularity of names, sequences and other numbers */
    TASK_STEP = 8,
    TRACK_STEP = 16,
    LOOSE_PART = 8, /* records may be larger than needed by this part */
    GAP_MIN = 6 /* a gap of at least so many constant bits separates two parts */
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
    case TM_COL_ARG_KEYS:
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

/* Returns the bits of the first part of V: from its lowest bit to the first gap, or if IS_LAST, to its highest bit. */
static uint64_t first_part(uint64_t v, bool is_last)
{
    unsigned low = tm_trailing_zeros(v), end = low, top = tm_highest_bit(v);
    while (end <= top && (is_last || v >> end & ((UINT64_C(1) << GAP_MIN) - 1)))
        end++;
    return UINT64_MAX >> (64 - (end - low)) << low;
}

/* Returns the bits of all parts of V: small gaps become part of them, and if the parts run out, all gaps. */
static uint64_t with_gaps(uint64_t v)
{
    uint64_t kept = 0;
    for (int part = 1; v & ~kept; part++)
        kept |= first_part(v & ~kept, part == TM_LAYOUT_PARTS);
    return kept;
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
        d->varying[c] = with_gaps(rounded((enum tm_column)c, v, value));
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
        uint64_t v = d->varying[c] | layout->varying[c] | (d->constants[c] ^ layout->constants[c]);
        d->varying[c] = with_gaps(rounded((enum tm_column)c, v, d->constants[c]));
        d->constants[c] &= ~d->varying[c];
    }
}

/* Divides the varying bits of COLUMN into parts. */
static void divide_column(struct tm_block_layout *layout, enum tm_column column)
{
    uint8_t *count = &layout->part_counts[column];
    for (uint64_t left = layout->varying[column], bits; left; left &= ~bits) {
        struct tm_layout_part *part = &layout->parts[column][(*count)++];
        bits = first_part(left, *count == TM_LAYOUT_PARTS);
        part->low = (uint8_t)tm_trailing_zeros(bits);
        part->mask = bits >> part->low;
    }
}

/* Returns the part that follows PART in the order of columns, or the first one if PART is NULL. Returns NULL after the
 * last one. */
static struct tm_layout_part *next_part(struct tm_block_layout *layout, struct tm_layout_part *part)
{
    struct tm_layout_part *all = &layout->parts[0][0], *end = all + TM_COL_COUNT * TM_LAYOUT_PARTS;
    for (part = part ? part + 1 : all; part < end; part++)
        if (part->mask)
            return part;
    return NULL;
}

/* Gives each part a word: the first one with room. Large parts come first, so that small ones fill the words. Sets USED
 * to the bits that are taken in each word. */
static void choose_words(struct tm_block_layout *layout, uint8_t *used)
{
    for (unsigned bits = 64; bits > 0; bits--) {
        for (struct tm_layout_part *part = next_part(layout, NULL); part; part = next_part(layout, part)) {
            if (tm_set_bits(part->mask) != bits)
                continue;
            while (used[part->word] + bits > 64)
                part->word++;
            used[part->word] = (uint8_t)(used[part->word] + bits);
            layout->words = part->word >= layout->words ? part->word + 1u : layout->words;
        }
    }
}

/* Gives the parts of each word their bits, in the order of columns, because that is the order in which they are packed
 * and the first one clears the word. */
static void choose_shifts(struct tm_block_layout *layout)
{
    uint8_t used[TM_LAYOUT_WORDS] = {0};
    for (struct tm_layout_part *part = next_part(layout, NULL); part; part = next_part(layout, part)) {
        part->shift = used[part->word];
        used[part->word] = (uint8_t)(used[part->word] + tm_set_bits(part->mask));
    }
}

static void lay_out(struct tm_block_layout *layout, const struct demand *d)
{
    uint8_t used[TM_LAYOUT_WORDS] = {0};
    *layout = (struct tm_block_layout){.words = 1};
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++) {
        layout->varying[c] = d->varying[c];
        layout->constants[c] = d->constants[c];
        divide_column(layout, (enum tm_column)c);
    }
    choose_words(layout, used);
    choose_shifts(layout);
    layout->stride = 8 * (layout->words - 1) + (used[layout->words - 1] + 7u) / 8;
}

/* Returns the bytes of a record that holds the bits VARYING of each column, if no word has a gap. */
static uint32_t bytes_of(const uint64_t *varying)
{
    uint32_t bits = 0;
    for (int c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        bits += tm_set_bits(varying[c]);
    return (bits + 7) / 8;
}

/* True if records of the bits VARYING are much larger than D requires. The first batch of a file often holds more than
 * later ones, descriptors above all. */
static bool is_loose(const uint64_t *varying, const struct demand *d)
{
    uint32_t need = bytes_of(d->varying);
    return bytes_of(varying) > need + need / LOOSE_PART + 1;
}

/* Returns the number of the smallest layout on offer that can hold D; offered_count: none can. */
static uint32_t find_holding(const struct tm_block_layouts *l, const struct demand *d)
{
    uint32_t best = l->offered_count, best_bytes = UINT32_MAX;
    for (uint32_t i = 0; i < l->offered_count; i++) {
        uint32_t bytes = bytes_of(l->offered[i]->varying);
        if (bytes < best_bytes && holds(l->offered[i], d)) {
            best = i;
            best_bytes = bytes;
        }
    }
    return best;
}

/* Extends D to what a new layout for it holds. Returns the number of the layout that it replaces on offer: the one that
 * grows least. If that one would be loose for D, the new layout is for D alone and replaces none while there is room.
 * Replaced layouts only grow, so there are never many. */
static uint32_t choose_place(const struct tm_block_layouts *l, struct demand *d)
{
    struct demand least = *d;
    uint32_t best = l->offered_count;
    for (uint32_t i = 0; i < l->offered_count; i++) {
        struct demand wide = *d;
        widen(&wide, l->offered[i]);
        if (i == 0 || bytes_of(wide.varying) < bytes_of(least.varying)) {
            least = wide;
            best = i;
        }
    }
    if (is_loose(least.varying, d) && l->offered_count < TM_LAYOUTS_OFFERED)
        return l->offered_count;
    *d = least;
    return best;
}

/* Does what tm_block_layouts_find does for a batch that demands D, under the lock. */
static const struct tm_block_layout *find(struct tm_block_layouts *l, struct demand *d)
{
    uint32_t at = find_holding(l, d);
    bool has_room = l->offered_count < TM_LAYOUTS_OFFERED;
    if (at < l->offered_count && !(has_room && is_loose(l->offered[at]->varying, d)))
        return l->offered[at];
    if (tm_array_grow(&l->all, &l->cap, l->count, sizeof *l->all, NULL) < 0)
        return NULL;
    struct tm_block_layout *layout = malloc(sizeof *layout);
    if (layout == NULL)
        return NULL;
    at = choose_place(l, d);
    lay_out(layout, d);
    layout->index = l->count;
    l->all[l->count++] = layout;
    l->offered_count += at == l->offered_count;
    l->offered[at] = layout;
    return layout;
}

const struct tm_block_layout *tm_block_layouts_find(struct tm_block_layouts *l, const struct tm_batch *batch)
{
    struct demand demand;
    find_demand(&demand, batch);
    tm_block_layouts_lock(l);
    const struct tm_block_layout *layout = find(l, &demand);
    tm_block_layouts_unlock(l);
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
