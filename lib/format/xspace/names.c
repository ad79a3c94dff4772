#include "format/xspace/names.h"

#include "base/table.h"
#include "format/xspace/xspace.h"

#include <stdlib.h>

/* Limits of the cache: the number of slots, the bytes of a message in a slot, and the bytes of all messages. */
enum { SLOTS = 1 << 12, CACHED_MAX = 64 << 10, CACHED_BYTES_MAX = 32 << 20 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };

struct tm_xspace_place {
    uint64_t at, len;
};

struct tm_xspace_slot {
    uint32_t row; /* + 1; 0: empty */
    struct tm_buf message;
};

/* Reads the number of an entry and the place of its message within it. DATA may be only the beginning of the entry,
 * which has LEN bytes. */
static bool read_entry(struct tm_text data, uint64_t len, uint64_t *key, struct tm_xspace_place *place)
{
    const uint8_t *p = data.data, *end = p + data.len;
    uint64_t tag, value;
    *key = 0;
    *place = (struct tm_xspace_place){0};
    while (p < end) {
        if ((p = tm_varint_get(p, end, &tag)) == NULL || (p = tm_varint_get(p, end, &value)) == NULL)
            return false;
        if (tag == (ENTRY_KEY << 3 | TM_PB_VARINT))
            *key = value;
        if ((tag & 7) == TM_PB_VARINT)
            continue;
        if ((tag & 7) != TM_PB_LEN || value > len - (uint64_t)(p - data.data))
            return false;
        if (tag >> 3 == ENTRY_VALUE)
            *place = (struct tm_xspace_place){(uint64_t)(p - data.data), value};
        p = value < (uint64_t)(end - p) ? p + value : end;
    }
    return true;
}

enum tm_status tm_xspace_names_add(struct tm_xspace_names *names, struct tm_xspace_message *plane,
                                   const struct tm_xspace_field *field, struct tm_error *err)
{
    struct tm_text data;
    struct tm_xspace_place place;
    uint64_t key;
    uint32_t row;
    enum tm_status st = tm_xspace_message_bytes(plane, field, TM_XSPACE_TEXT_MAX, &data, err);
    if (st < 0 || !read_entry(data, field->len, &key, &place))
        return st;
    place.at += field->at;
    if (tm_map_find(&names->row_of, key, &row)) {
        names->places[row] = place;
        return TM_OK;
    }
    if (names->count == TM_XSPACE_NAMES_MAX)
        return tm_error_at(err, field->byte, "more than the limit of %d names of a plane", TM_XSPACE_NAMES_MAX);
    st = tm_array_grow(&names->places, &names->cap, names->count, sizeof *names->places, err);
    if (st == TM_OK && tm_map_set(&names->row_of, key, names->count) != TM_OK)
        st = tm_error_nomem(err);
    if (st == TM_OK)
        names->places[names->count++] = place;
    return st;
}

static void clear_cache(struct tm_xspace_names *names)
{
    for (uint32_t i = 0; names->slots && i < SLOTS; i++)
        tm_buf_release(&names->slots[i].message);
    free(names->slots);
    names->slots = NULL;
    names->cached_bytes = 0;
}

/* Reads the message at PLACE into TO. */
static enum tm_status read_message(const struct tm_extent *file, const struct tm_xspace_place *place,
                                   struct tm_buf *to, struct tm_text *message, struct tm_error *err)
{
    size_t len = place->len < TM_XSPACE_TEXT_MAX ? (size_t)place->len : TM_XSPACE_TEXT_MAX;
    tm_buf_clear(to);
    if (tm_buf_reserve(to, len + 1) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = len ? tm_extent_read(file, place->at, to->data, len, err) : TM_OK;
    to->len = len;
    *message = (struct tm_text){to->data, len};
    return st;
}

enum tm_status tm_xspace_names_get(struct tm_xspace_names *names, const struct tm_extent *file, uint64_t id,
                                   struct tm_text *message, struct tm_error *err)
{
    uint32_t row;
    if (!tm_map_find(&names->row_of, id, &row))
        return TM_END;
    const struct tm_xspace_place *place = &names->places[row];
    if (place->len > CACHED_MAX)
        return read_message(file, place, &names->large, message, err);
    if (names->cached_bytes > CACHED_BYTES_MAX)
        clear_cache(names);
    if (names->slots == NULL && (names->slots = calloc(SLOTS, sizeof *names->slots)) == NULL)
        return tm_error_nomem(err);
    struct tm_xspace_slot *slot = &names->slots[row % SLOTS];
    if (slot->row == row + 1) {
        *message = (struct tm_text){slot->message.data, slot->message.len};
        return TM_OK;
    }
    names->cached_bytes -= slot->message.cap;
    slot->row = 0;
    enum tm_status st = read_message(file, place, &slot->message, message, err);
    names->cached_bytes += slot->message.cap;
    if (st == TM_OK)
        slot->row = row + 1;
    return st;
}

void tm_xspace_names_release(struct tm_xspace_names *names)
{
    clear_cache(names);
    tm_map_release(&names->row_of);
    free(names->places);
    tm_buf_release(&names->large);
    *names = (struct tm_xspace_names){0};
}
