#include "emit/perfetto/annotation_names.h"

#include "base/pb.h"
#include "emit/perfetto/annotation_key.h"
#include "perfetto/packet_fields.h"
#include "stream/arg_keys.h"

enum {
    NAMES_MAX = 1 << 16,
    NAME_BYTES_MAX = 4 << 20,
    NAME_INTERNED_MAX = 512,
    LIST_HEAD = 4
};

/* Returns the key of NUMBER in the table `written': a string of keys or the id of a name. */
static uint64_t written_key(uint32_t machine, uint32_t number, bool is_name)
{
    return (uint64_t)machine << 32 | (uint64_t)is_name << 31 | number;
}

static struct tm_text list_at(const struct tm_annotation_names *n, uint32_t list)
{
    if (list == 0)
        return (struct tm_text){NULL, 0};
    const uint8_t *p = n->lists.data + list - 1;
    return tm_text_at(p + LIST_HEAD, tm_get_le32(p));
}

/* Returns the place in the cache of KEYS. */
static uint32_t recent_place(const struct tm_used_arg_keys *keys)
{
    return (keys->number + keys->machine * 61) % TM_RECENT_ARG_KEYS;
}

bool tm_annotation_names_recent(const struct tm_annotation_names *n, const struct tm_used_arg_keys *keys,
                                struct tm_text *ids)
{
    const struct tm_recent_arg_keys *recent = &n->recent[recent_place(keys)];
    if (recent->keys != keys->number || recent->machine != keys->machine)
        return false;
    *ids = list_at(n, recent->list);
    return true;
}

/* Appends the ids of the names in KEY to the lists. TM_END: a name has no id. The depth limits the number of names,
 * which is one byte. */
static enum tm_status add_key(struct tm_annotation_names *n, struct tm_text key)
{
    struct tm_annotation_name_walk walk = {.key = tm_annotation_key_bare(key)};
    struct tm_text name;
    const size_t start = n->lists.len;
    uint32_t count = 0, id;
    enum tm_status st = tm_buf_add_byte(&n->lists, 0);
    for (; st == TM_OK && tm_annotation_name_next(&walk, &name); count++) {
        if (name.len > NAME_INTERNED_MAX)
            return TM_END;
        if ((st = tm_intern_add(&n->names, name.data, name.len, &id, NULL)) != TM_OK ||
            (st = tm_buf_reserve(&n->lists, TM_ANNOTATION_ID_BYTES)) != TM_OK)
            return st;
        tm_put_le32(n->lists.data + n->lists.len, id + 1);
        n->lists.len += TM_ANNOTATION_ID_BYTES;
    }
    if (st == TM_OK)
        n->lists.data[start] = (uint8_t)count;
    return st;
}

/* Makes the list of KEYS. *LIST: its place plus 1; 0: a name has no id. */
static enum tm_status make_list(struct tm_annotation_names *n, struct tm_text keys, uint32_t *list)
{
    const size_t start = n->lists.len;
    enum tm_status st = tm_buf_add(&n->lists, (const uint8_t[LIST_HEAD]){0}, LIST_HEAD);
    if (n->names.count_max == 0)
        tm_intern_init(&n->names, NAMES_MAX, NAME_BYTES_MAX);
    while (st == TM_OK && keys.len)
        st = add_key(n, tm_arg_keys_next(&keys));
    *list = (uint32_t)start + 1;
    if (st == TM_OK) {
        tm_put_le32(n->lists.data + start, (uint32_t)(n->lists.len - start - LIST_HEAD));
        return TM_OK;
    }
    n->lists.len = start;
    *list = 0;
    return st < 0 ? st : TM_OK;
}

static enum tm_status put_entry(const struct tm_annotation_names *n, uint32_t id, struct tm_buf *entries)
{
    size_t mark, len;
    const uint8_t *name = tm_intern_get(&n->names, id - 1, &len);
    return tm_pb_begin(entries, TM_INTERNED_ANNOTATION_NAMES, &mark) == TM_OK &&
                   tm_pb_put_varint(entries, TM_INTERNED_IID, id) == TM_OK &&
                   tm_pb_put_bytes(entries, TM_INTERNED_TEXT, name, len) == TM_OK && tm_pb_end(entries, mark) == TM_OK
               ? TM_OK
               : TM_E_SYSTEM;
}

/* Appends the entries of IDS that MACHINE lacks. */
static enum tm_status put_entries(struct tm_annotation_names *n, uint32_t machine, struct tm_text ids,
                                  struct tm_buf *entries)
{
    const uint8_t *p = ids.data, *end = ids.data + ids.len;
    enum tm_status st = TM_OK;
    while (p < end && st >= 0)
        for (uint32_t count = *p++; count > 0 && st >= 0; count--, p += TM_ANNOTATION_ID_BYTES) {
            const uint32_t id = tm_get_le32(p);
            st = tm_map_add(&n->written, written_key(machine, id, true), 0);
            if (st == TM_OK)
                st = put_entry(n, id, entries);
        }
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_annotation_names_find(struct tm_annotation_names *n, const struct tm_used_arg_keys *keys,
                                        struct tm_buf *entries, struct tm_text *ids)
{
    uint32_t list;
    enum tm_status st = TM_OK;
    if (!tm_map_find(&n->list_of, keys->number, &list) &&
        ((st = make_list(n, keys->text, &list)) < 0 || (st = tm_map_set(&n->list_of, keys->number, list)) < 0))
        return st;
    *ids = list_at(n, list);
    st = tm_map_add(&n->written, written_key(keys->machine, keys->number, false), 0);
    if (st == TM_OK)
        st = put_entries(n, keys->machine, *ids, entries);
    n->recent[recent_place(keys)] = (struct tm_recent_arg_keys){keys->number, keys->machine, list};
    return st < 0 ? st : TM_OK;
}

void tm_annotation_names_restart(struct tm_annotation_names *n)
{
    tm_map_clear(&n->written);
    memset(n->recent, 0, sizeof n->recent);
}

void tm_annotation_names_release(struct tm_annotation_names *n)
{
    tm_intern_release(&n->names);
    tm_buf_release(&n->lists);
    tm_map_release(&n->list_of);
    tm_map_release(&n->written);
}
