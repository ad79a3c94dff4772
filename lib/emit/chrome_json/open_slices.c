#include "emit/chrome_json/open_slices.h"

#include "base/table.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "stream/slice_stack.h"

#include <stdlib.h>

/* Layout of a slice: category, name, then the lengths of both and whether they exist. */
enum { TAIL_BYTES = 9, HAS_CATEGORY = 1, HAS_NAME = 2 };

static uint64_t key_of(const struct tm_event *e)
{
    return tm_hash_u64(e->track ^ tm_hash_u64(((uint64_t)e->machine << 32 | e->file) + 1));
}

enum tm_status tm_json_open_slices_begin(struct tm_json_open_slices *slices, const struct tm_event *e,
                                         struct tm_text category, struct tm_text name, struct tm_error *err)
{
    uint32_t number;
    if (!tm_map_find(&slices->tracks, key_of(e), &number)) {
        if (tm_array_grow(&slices->open, &slices->cap, slices->count, sizeof *slices->open, err) < 0)
            return TM_E_SYSTEM;
        slices->open[slices->count] = (struct tm_json_open_track){.depth = 0};
        number = ++slices->count;
        if (tm_map_set(&slices->tracks, key_of(e), number) != TM_OK)
            return tm_error_nomem(err);
    }
    struct tm_json_open_track *track = &slices->open[number - 1];
    if (track->depth == TM_SLICES_DEPTH_MAX) {
        track->deeper++;
        return TM_OK;
    }
    struct tm_buf *open = &track->slices;
    uint8_t tail[TAIL_BYTES];
    tm_put_le32(tail, (uint32_t)category.len);
    tm_put_le32(tail + 4, (uint32_t)name.len);
    tail[8] = (uint8_t)((category.data ? HAS_CATEGORY : 0) | (name.data ? HAS_NAME : 0));
    if (tm_buf_add(open, category.data, category.len) != TM_OK || tm_buf_add(open, name.data, name.len) != TM_OK ||
        tm_buf_add(open, tail, sizeof tail) != TM_OK)
        return tm_error_nomem(err);
    track->depth++;
    return TM_OK;
}

/* An open slice: its texts, and the bounds of its bytes. */
struct open_slice {
    struct tm_text category, name;
    size_t begin, end;
};

/* Returns the slice whose bytes end at END of OPEN. */
static struct open_slice slice_before(const struct tm_buf *open, size_t end)
{
    const uint8_t *tail = open->data + end - TAIL_BYTES;
    const size_t category_len = tm_get_le32(tail), name_len = tm_get_le32(tail + 4);
    struct open_slice slice = {.begin = end - TAIL_BYTES - name_len - category_len, .end = end};
    if (tail[8] & HAS_CATEGORY)
        slice.category = tm_text_at(open->data + slice.begin, category_len);
    if (tail[8] & HAS_NAME)
        slice.name = tm_text_at(open->data + slice.begin + category_len, name_len);
    return slice;
}

/* True if TEXT is not given or is OTHER. */
static bool is_or_not_given(struct tm_text text, struct tm_text other)
{
    return text.data == NULL || (other.data && tm_text_equal(text, other));
}

enum tm_status tm_json_open_slices_end(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, struct tm_error *err)
{
    uint32_t number;
    if (!tm_map_find(&slices->tracks, key_of(e), &number))
        return TM_OK;
    struct tm_json_open_track *track = &slices->open[number - 1];
    struct tm_buf *open = &track->slices;
    if (track->deeper) {
        track->deeper--;
        return TM_OK;
    }
    for (size_t end = open->len; end > 0;) {
        struct open_slice slice = slice_before(open, end);
        end = slice.begin;
        if (!is_or_not_given(*category, slice.category) || !is_or_not_given(*name, slice.name))
            continue;
        tm_buf_clear(&slices->ended);
        if (tm_buf_add(&slices->ended, open->data + slice.begin, slice.end - slice.begin) != TM_OK)
            return tm_error_nomem(err);
        memmove(open->data + slice.begin, open->data + slice.end, open->len - slice.end);
        open->len -= slice.end - slice.begin;
        track->depth--;
        slice = slice_before(&slices->ended, slices->ended.len);
        *category = slice.category;
        *name = slice.name;
        return TM_OK;
    }
    return TM_OK;
}

void tm_json_open_slices_release(struct tm_json_open_slices *slices)
{
    for (uint32_t i = 0; i < slices->count; i++)
        tm_buf_release(&slices->open[i].slices);
    free(slices->open);
    tm_buf_release(&slices->ended);
    tm_map_release(&slices->tracks);
}
