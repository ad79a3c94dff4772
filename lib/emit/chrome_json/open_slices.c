#include "emit/chrome_json/open_slices.h"

#include "base/table.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "stream/slice_stack.h"

#include <stdbool.h>
#include <stdlib.h>

/* Layout of a slice: category, name, then the lengths of both, and whether they exist and the slice has ended. */
enum { TAIL_BYTES = 9, HAS_CATEGORY = 1, HAS_NAME = 2, HAS_ENDED = 4 };

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

/* A slice on the stack: its texts, and the bounds of its bytes. */
struct open_slice {
    struct tm_text category, name;
    size_t begin, end;
    bool has_ended;
};

/* Returns the slice whose bytes end at END of OPEN. */
static struct open_slice slice_before(const struct tm_buf *open, size_t end)
{
    const uint8_t *tail = open->data + end - TAIL_BYTES;
    const size_t category_len = tm_get_le32(tail), name_len = tm_get_le32(tail + 4);
    struct open_slice slice = {
        .begin = end - TAIL_BYTES - name_len - category_len, .end = end, .has_ended = tail[8] & HAS_ENDED};
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

/* Copies SLICE of TRACK, and sets the texts to those of the copy. TM_OK or TM_E_SYSTEM. */
static enum tm_status copy_texts(struct tm_json_open_slices *slices, const struct tm_json_open_track *track,
                                 const struct open_slice *slice, struct tm_text *category, struct tm_text *name)
{
    tm_buf_clear(&slices->ended);
    if (tm_buf_add(&slices->ended, track->slices.data + slice->begin, slice->end - slice->begin) != TM_OK)
        return TM_E_SYSTEM;
    const struct open_slice copy = slice_before(&slices->ended, slices->ended.len);
    *category = copy.category;
    *name = copy.name;
    return TM_OK;
}

/* Ends SLICE of TRACK at END_NS. It stays on the stack while slices within it are open. */
static void end_slice(struct tm_json_open_slices *slices, struct tm_json_open_track *track,
                      const struct open_slice *slice, int64_t end_ns)
{
    if (slice->end == track->slices.len) {
        track->slices.len = slice->begin;
        track->depth--;
        return;
    }
    track->slices.data[slice->end - 1] |= HAS_ENDED;
    slices->ended_count += track->ended++ == 0;
    track->ended_ns = end_ns;
}

enum tm_status tm_json_open_slices_end(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, struct tm_error *err)
{
    uint32_t number;
    if (!tm_map_find(&slices->tracks, key_of(e), &number))
        return TM_END;
    struct tm_json_open_track *track = &slices->open[number - 1];
    if (track->deeper) {
        track->deeper--;
        return TM_OK;
    }
    for (size_t end = track->slices.len; end > 0;) {
        struct open_slice slice = slice_before(&track->slices, end);
        end = slice.begin;
        if (slice.has_ended || !is_or_not_given(*category, slice.category) || !is_or_not_given(*name, slice.name))
            continue;
        if (copy_texts(slices, track, &slice, category, name) < 0)
            return tm_error_nomem(err);
        end_slice(slices, track, &slice, e->time_ns);
        return TM_OK;
    }
    return TM_END;
}

enum tm_status tm_json_open_slices_cut(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, int64_t *end_ns)
{
    uint32_t number;
    if (slices->ended_count == 0 || !tm_map_find(&slices->tracks, key_of(e), &number))
        return TM_END;
    struct tm_json_open_track *track = &slices->open[number - 1];
    while (track->ended) {
        const struct open_slice slice = slice_before(&track->slices, track->slices.len);
        if (!slice.has_ended && e->time_ns <= track->ended_ns)
            return TM_END;
        if (!slice.has_ended && copy_texts(slices, track, &slice, category, name) < 0)
            return TM_E_SYSTEM;
        track->slices.len = slice.begin;
        track->depth--;
        track->deeper = 0;
        track->ended -= slice.has_ended;
        slices->ended_count -= track->ended == 0;
        *end_ns = track->ended_ns;
        if (!slice.has_ended)
            return TM_OK;
    }
    return TM_END;
}

void tm_json_open_slices_release(struct tm_json_open_slices *slices)
{
    for (uint32_t i = 0; i < slices->count; i++)
        tm_buf_release(&slices->open[i].slices);
    free(slices->open);
    tm_buf_release(&slices->ended);
    tm_map_release(&slices->tracks);
}
