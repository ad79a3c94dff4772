#include "emit/chrome_json/open_slices.h"

#include "base/table.h"
#include "base/bytes.h"
#include "base/hash.h"

#include <stdlib.h>

/* Layout of a slice: category, name, then the lengths of both and whether they exist. */
enum { TAIL_BYTES = 9, HAS_CATEGORY = 1, HAS_NAME = 2 };

static uint64_t key_of(const struct tm_event *e)
{
    return tm_hash_u64(e->track ^ tm_hash_u64((uint64_t)e->file + 1));
}

enum tm_status tm_json_open_slices_begin(struct tm_json_open_slices *slices, const struct tm_event *e,
                                         struct tm_text category, struct tm_text name, struct tm_error *err)
{
    uint32_t number;
    if (!tm_map_find(&slices->tracks, key_of(e), &number)) {
        if (tm_array_grow(&slices->open, &slices->cap, slices->count, sizeof *slices->open, err) < 0)
            return TM_E_SYSTEM;
        slices->open[slices->count] = (struct tm_buf){0};
        number = ++slices->count;
        if (tm_map_set(&slices->tracks, key_of(e), number) != TM_OK)
            return tm_error_nomem(err);
    }
    struct tm_buf *open = &slices->open[number - 1];
    uint8_t tail[TAIL_BYTES];
    tm_put_le32(tail, (uint32_t)category.len);
    tm_put_le32(tail + 4, (uint32_t)name.len);
    tail[8] = (uint8_t)((category.data ? HAS_CATEGORY : 0) | (name.data ? HAS_NAME : 0));
    if (tm_buf_add(open, category.data, category.len) != TM_OK || tm_buf_add(open, name.data, name.len) != TM_OK ||
        tm_buf_add(open, tail, sizeof tail) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

void tm_json_open_slices_end(struct tm_json_open_slices *slices, const struct tm_event *e, struct tm_text *category,
                             struct tm_text *name)
{
    uint32_t number;
    *category = *name = (struct tm_text){0};
    if (!tm_map_find(&slices->tracks, key_of(e), &number) || slices->open[number - 1].len == 0)
        return;
    struct tm_buf *open = &slices->open[number - 1];
    const uint8_t *tail = open->data + open->len - TAIL_BYTES;
    size_t category_len = tm_get_le32(tail), name_len = tm_get_le32(tail + 4);
    if (tail[8] & HAS_NAME)
        *name = (struct tm_text){tail - name_len, name_len};
    if (tail[8] & HAS_CATEGORY)
        *category = (struct tm_text){tail - name_len - category_len, category_len};
    open->len -= TAIL_BYTES + name_len + category_len;
}

void tm_json_open_slices_release(struct tm_json_open_slices *slices)
{
    for (uint32_t i = 0; i < slices->count; i++)
        tm_buf_release(&slices->open[i]);
    free(slices->open);
    tm_map_release(&slices->tracks);
}
