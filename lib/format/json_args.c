#include "format/json_args.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "json/fast_path.h"
#include "json/number.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

/* output is limited to TM_JSON_ARGS_BYTES_FREE bytes plus ARGS_GROWTH_MAX times the bytes of the text */
enum { ARGS_GROWTH_MAX = 16 };

/* The key of the next argument. TM_JSON_ARG_PLACE_KEY_SLACK bytes after it are readable. */
static inline struct tm_text current_key(const struct tm_json_args *a)
{
    return a->place ? tm_text_at(a->place->key, a->place->key_len) : tm_text_at(a->key.data, a->key.len);
}

/* Does the work of begin_arg for an argument whose key the shape states. */
static inline uint8_t *begin_keyless(struct tm_json_args *a, size_t value_bytes)
{
    const size_t key_bytes = 1 + tm_varint_size(a->place->key_len) + a->place->key_len;
    tm_json_arg_shape_add(&a->shape, (uint32_t)(a->place - a->places->places));
    a->key_bytes += key_bytes + tm_varint_size(key_bytes + value_bytes) - tm_varint_size(value_bytes);
    if (tm_buf_reserve(&a->detail, 1 + value_bytes + 2 * TM_VARINT_MAX) != TM_OK)
        return NULL;
    uint8_t *start = a->detail.data + a->detail.len, *p = start;
    *p++ = TM_DETAIL_ARGS << 3 | TM_PB_LEN;
    p = tm_varint_put(p, value_bytes);
    a->detail.len += (size_t)(p - start) + value_bytes;
    return p;
}

/* Adds one Arg with the current key, except for its value field, which takes VALUE_BYTES. Returns the place of that
 * field, where TM_VARINT_MAX bytes more can be written. NULL: out of memory. */
static inline uint8_t *begin_arg(struct tm_json_args *a, size_t value_bytes)
{
    if (a->place && a->shape.count < a->shape_max)
        return begin_keyless(a, value_bytes);
    struct tm_text key = current_key(a);
    size_t inner = 1 + tm_varint_size(key.len) + key.len + value_bytes;
    size_t most = inner + 2 + 2 * TM_VARINT_MAX + TM_JSON_ARG_PLACE_KEY_SLACK;
    if (tm_buf_reserve(&a->detail, most) != TM_OK)
        return NULL;
    uint8_t *start = a->detail.data + a->detail.len, *p = start;
    *p++ = TM_DETAIL_ARGS << 3 | TM_PB_LEN;
    p = tm_varint_put(p, inner);
    a->detail.len += (size_t)(p - start) + inner;
    *p++ = TM_ARG_KEY << 3 | TM_PB_LEN;
    p = tm_varint_put(p, key.len);
    tm_copy_short(p, key.data, key.len, TM_JSON_ARG_PLACE_KEY_SLACK);
    return p + key.len;
}

static inline enum tm_status put_varint(struct tm_json_args *a, uint32_t field, uint64_t v)
{
    uint8_t *p = begin_arg(a, 1 + tm_highest_bit(v | 1) / 7 + 1);
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = (uint8_t)(field << 3 | TM_PB_VARINT);
    tm_varint_put_over(p, v);
    return TM_OK;
}

static enum tm_status put_double(struct tm_json_args *a, uint64_t bits)
{
    uint8_t *p = begin_arg(a, 9);
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = TM_ARG_DOUBLE << 3 | TM_PB_I64;
    tm_put_le64(p, bits);
    return TM_OK;
}

static enum tm_status put_string(struct tm_json_args *a, struct tm_text s)
{
    uint8_t *p = begin_arg(a, 1 + tm_varint_size(s.len) + s.len);
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = TM_ARG_STRING << 3 | TM_PB_LEN;
    p = tm_varint_put(p, s.len);
    if (s.len)
        memcpy(p, s.data, s.len);
    return TM_OK;
}

/* Adds the scalar V under the current key. */
static enum tm_status put_leaf(struct tm_json_args *a, const struct tm_json_value *v)
{
    struct tm_text s = {v->data, v->len};
    bool is_double;
    uint64_t bits;
    switch (v->type) {
    case TM_JSON_TRUE:
    case TM_JSON_FALSE:
        return put_varint(a, TM_ARG_BOOL, v->type == TM_JSON_TRUE);
    case TM_JSON_NUMBER:
        if (!tm_json_number(v->data, v->len, &is_double, &bits))
            return put_string(a, s);
        return is_double ? put_double(a, bits) : put_varint(a, TM_ARG_INT, tm_zigzag((int64_t)bits));
    case TM_JSON_STRING:
        return tm_json_text(v, &a->text, &s.data, &s.len) ? put_string(a, s) : TM_E_SYSTEM;
    default:
        return put_string(a, s);
    }
}

static inline enum tm_status put_index(struct tm_buf *key, uint32_t index)
{
    char text[1 + TM_DECIMAL_DIGITS_MAX + 1];
    char *end = text + sizeof text, *start = tm_decimal_digits(end - 1, index);
    if (tm_buf_reserve(key, sizeof text + TM_JSON_ARG_PLACE_KEY_SLACK) != TM_OK)
        return TM_E_SYSTEM;
    end[-1] = ']';
    *--start = '[';
    return tm_buf_add(key, start, (size_t)(end - start));
}

/* Sets the key of the next value of the innermost level: that level's own key, extended. */
static enum tm_status extend_key(struct tm_json_args *a, const struct tm_json_value *key)
{
    struct tm_json_arg_level *level = &a->levels[a->depth - 1];
    const uint8_t *s;
    size_t len;
    a->key.len = level->key_len;
    if (!level->is_object)
        return put_index(&a->key, level->index++);
    if (!tm_json_text(key, &a->text, &s, &len) ||
        tm_buf_reserve(&a->key, len + 1 + TM_JSON_ARG_PLACE_KEY_SLACK) != TM_OK)
        return TM_E_SYSTEM;
    a->key.data[a->key.len++] = '.';
    memcpy(a->key.data + a->key.len, s, len);
    a->key.len += len;
    return TM_OK;
}

/* True if an argument with the current key, which is not that of a place, is to be added. The names in wanted are those
 * within "args". */
static bool is_listed(struct tm_json_args *a)
{
    enum { PREFIX_BYTES = 5 /* "args." */ };
    size_t at = a->key.len > PREFIX_BYTES && memcmp(a->key.data, "args.", PREFIX_BYTES) == 0 ? PREFIX_BYTES : 0;
    return a->wanted == NULL || tm_name_memo_has(&a->memo, a->wanted, a->key.data + at, a->key.len - at);
}

/* Moves to the next member or element at SCAN's p, whose key becomes the current one. */
static enum tm_json_status next_key(struct tm_json_args *a, struct tm_json_scan *scan)
{
    struct tm_json_value key = {0};
    enum tm_json_status st;
    if (a->levels[a->depth - 1].is_object && (st = tm_json_key(scan, &key)) != TM_JSON_OK)
        return st;
    if (!a->cut && extend_key(a, &key) != TM_OK)
        a->no_memory = true;
    return TM_JSON_OK;
}

/* Opens the container at SCAN's p under the current key. */
static enum tm_json_status open_level(struct tm_json_args *a, struct tm_json_scan *scan)
{
    if (a->depth == TM_JSON_DEPTH_MAX)
        return tm_json_bad(scan, scan->p, "nesting is too deep");
    a->levels[a->depth++] = (struct tm_json_arg_level){(uint32_t)a->key.len, 0, *scan->p++ == '{'};
    return TM_JSON_OK;
}

/* Opens the outermost container, which is at SCAN's p. */
static enum tm_json_status open_first(struct tm_json_args *a, struct tm_json_scan *scan)
{
    tm_buf_clear(&a->key);
    if (tm_buf_add(&a->key, a->prefix.data, a->prefix.len) != TM_OK)
        a->no_memory = true;
    return open_level(a, scan);
}

/* Moves from the end of a value, or from the start of the arguments, to the next scalar: closes and opens levels.
 * TM_JSON_CLOSE: there is none. */
static enum tm_json_status next_scalar(struct tm_json_args *a, struct tm_json_scan *scan)
{
    enum tm_json_status st = TM_JSON_OK;
    if (a->depth == 0)
        st = open_first(a, scan);
    else
        st = tm_json_comma(scan, a->levels[a->depth - 1].is_object ? '}' : ']');
    while (st == TM_JSON_OK) {
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if (*scan->p == (a->levels[a->depth - 1].is_object ? '}' : ']')) {
            scan->p++;
            if (--a->depth == 0)
                return TM_JSON_CLOSE;
            st = tm_json_comma(scan, a->levels[a->depth - 1].is_object ? '}' : ']');
            continue;
        }
        st = next_key(a, scan);
        if (st != TM_JSON_OK || (*scan->p != '{' && *scan->p != '['))
            return st;
        st = open_level(a, scan);
    }
    return st;
}

/* Makes the levels and the key around the current place those that are read on from. */
static void leave_place(struct tm_json_args *a)
{
    const struct tm_json_arg_place *place = a->place;
    a->place = NULL;
    memcpy(a->levels, place->levels, place->depth * sizeof *place->levels);
    a->depth = place->depth;
    a->key.len = 0;
    if (tm_buf_reserve(&a->key, sizeof place->key) != TM_OK) {
        a->no_memory = true;
        return;
    }
    memcpy(a->key.data, place->key, sizeof place->key);
    a->key.len = place->key_len;
}

/* Sets place to that of the current value, if it can have one. Returns its number, or TM_JSON_ARG_PLACE_END. */
static uint32_t find_place(struct tm_json_args *a)
{
    const uint32_t number = tm_json_arg_places_find(a->places, current_key(a), a->levels, a->depth);
    if (number != TM_JSON_ARG_PLACE_END) {
        a->place = &a->places->places[number];
        a->places->places[number].is_wanted = a->is_wanted;
    }
    return number;
}

/* Scans and remembers the text at SCAN's p, which follows key *KEY. Otherwise as next_value. */
static enum tm_json_status scan_key(struct tm_json_args *a, struct tm_json_scan *scan, uint32_t *key)
{
    const uint8_t *start = scan->p;
    uint32_t before = *key;
    bool is_new; /* not used */
    *key = 0;
    if (a->place)
        leave_place(a);
    enum tm_json_status st = next_scalar(a, scan);
    if ((st != TM_JSON_OK && st != TM_JSON_CLOSE) || a->cut || a->no_memory)
        return st;
    a->is_wanted = st == TM_JSON_OK && is_listed(a);
    if (a->places == NULL)
        return st;
    /* Whether an argument has a place must not depend on how much of the input is in memory. */
    const uint32_t place = st == TM_JSON_OK ? find_place(a) : TM_JSON_ARG_PLACE_END;
    if ((st == TM_JSON_CLOSE || a->place) && scan->end - start >= TM_JSON_KNOWN_BYTES)
        *key = tm_json_known_keys_learn(&a->places->keys, before, tm_text_at(start, (size_t)(scan->p - start)),
                                        (uint16_t)place, &is_new);
    return st;
}

/* True if no scalar begins with C, because white space or a bracket is there. */
static inline bool goes_on(uint8_t c)
{
    return c <= ' ' || (c | 0x20) == '{' || (c | 0x20) == '}';
}

/* Moves to the next scalar. *KEY is the number of the text before the last one, and becomes that of the text before
 * this one; 0: it is not remembered. TM_JSON_CLOSE: there is no further one; SCAN stands after the arguments. */
static inline enum tm_json_status next_value(struct tm_json_args *a, struct tm_json_scan *scan, uint32_t *key)
{
    enum { ROOM = TM_JSON_KNOWN_BYTES + TM_JSON_NUMBER_ROOM };
    const uint8_t *p = scan->p;
    uint32_t next = *key && scan->end - p >= ROOM ? tm_json_known_keys_next(&a->places->keys, *key, p) : 0;
    if (next) {
        const struct tm_json_known_key *known = &a->places->keys.keys[next];
        p += known->len;
        if (known->tag == TM_JSON_ARG_PLACE_END) {
            scan->p = p;
            return TM_JSON_CLOSE;
        }
        if (!goes_on(*p)) {
            scan->p = p;
            *key = next;
            a->place = &a->places->places[known->tag];
            a->is_wanted = a->place->is_wanted;
            return TM_JSON_OK;
        }
    }
    return scan_key(a, scan, key);
}

/* Notes a failure to add an argument, or that the detail has become too long for arguments of READ bytes. */
static inline void note_added(struct tm_json_args *a, enum tm_status added, size_t read)
{
    if (added != TM_OK)
        a->no_memory = true;
    else if (tm_json_args_size(a) > TM_JSON_ARGS_BYTES_FREE + read * ARGS_GROWTH_MAX)
        a->cut = true;
}

/* After a null: in an array it takes no index. */
static void take_null(struct tm_json_args *a, uint32_t *key)
{
    if (a->place)
        leave_place(a);
    a->levels[a->depth - 1].index -= !a->levels[a->depth - 1].is_object;
    *key = 0;
}

/* Reads the scalar at SCAN's p, which may be of any kind, and adds it. */
static enum tm_json_status read_any(struct tm_json_args *a, struct tm_json_scan *scan, const uint8_t *start,
                                    uint32_t *key)
{
    struct tm_json_value v;
    enum tm_json_status st = tm_json_value(scan, &v);
    if (st != TM_JSON_OK)
        return st;
    if (v.type == TM_JSON_NULL)
        take_null(a, key);
    else if (a->is_wanted && !a->cut)
        note_added(a, put_leaf(a, &v), (size_t)(scan->p - start));
    return TM_JSON_OK;
}

/* Reads the string at P if it has no escapes, and adds it. Returns the byte after it, or NULL. */
static inline const uint8_t *read_string(struct tm_json_args *a, const uint8_t *p, const uint8_t *end,
                                         const uint8_t *start)
{
    bool non_ascii = false; /* not used */
    const uint8_t *quote = tm_json_special(p + 1, end, &non_ascii);
    if (quote == end || *quote != '"')
        return NULL;
    if (a->is_wanted && !a->cut)
        note_added(a, put_string(a, tm_text_at(p + 1, (size_t)(quote - p - 1))), (size_t)(quote + 1 - start));
    return quote + 1;
}

/* Reads the integer at P if it is a usual one, and adds it. TM_JSON_NUMBER_ROOM bytes at P are readable. Returns the
 * byte after it, or NULL. */
static inline const uint8_t *read_int(struct tm_json_args *a, const uint8_t *p, const uint8_t *start)
{
    uint64_t v;
    const uint8_t *after = tm_json_fast_int(p, &v);
    if (after && a->is_wanted && !a->cut)
        note_added(a, put_varint(a, TM_ARG_INT, v << 1), (size_t)(after - start));
    return after;
}

/* Reads everything inside the container at SCAN's p. */
static enum tm_json_status walk(struct tm_json_args *a, struct tm_json_scan *scan)
{
    const uint8_t *start = scan->p;
    uint32_t key = a->places ? TM_JSON_KNOWN_START : 0;
    enum tm_json_status st;
    a->depth = 0;
    a->place = NULL;
    while ((st = next_value(a, scan, &key)) == TM_JSON_OK) {
        const uint8_t *p = scan->p, *after = NULL;
        if (*p == '"')
            after = read_string(a, p, scan->end, start);
        else if (tm_json_is_digit(*p) && scan->end - p >= TM_JSON_NUMBER_ROOM)
            after = read_int(a, p, start);
        if (after)
            scan->p = after;
        else if ((st = read_any(a, scan, start, &key)) != TM_JSON_OK)
            return st;
    }
    return st == TM_JSON_CLOSE ? TM_JSON_OK : st;
}

/* Begins the arguments of an event. */
static void begin_shape(struct tm_json_args *a)
{
    a->shape.count = a->shape.hash = 0;
    a->key_bytes = 0;
    a->shape_max = a->shapes && tm_json_arg_shapes_has_room(a->shapes) ? TM_JSON_ARG_SHAPE_MAX : 0;
}

/* Does the work of tm_json_args_read for a PREFIX that need not end with a NUL. */
static enum tm_json_status read_container(struct tm_json_args *args, struct tm_text prefix, struct tm_json_scan *scan,
                                          struct tm_json_value *value)
{
    const uint8_t *start = scan->p;
    uint8_t closer = *start == '{' ? '}' : ']';
    tm_buf_clear(&args->detail);
    args->prefix = prefix;
    args->cut = false;
    args->no_memory = false;
    begin_shape(args);
    if (args->levels == NULL && (args->levels = calloc(TM_JSON_DEPTH_MAX, sizeof *args->levels)) == NULL) {
        args->no_memory = true;
        return tm_json_value(scan, value);
    }
    enum tm_json_status st = TM_JSON_OK;
    if (scan->end - start > 1 && start[1] == closer)
        scan->p += 2;
    else
        st = walk(args, scan);
    if (st == TM_JSON_OK)
        *value = (struct tm_json_value){.data = start, .len = (size_t)(scan->p - start),
                                        .type = *start == '{' ? TM_JSON_OBJECT : TM_JSON_ARRAY};
    return st;
}

enum tm_json_status tm_json_args_read(struct tm_json_args *args, const char *prefix, struct tm_json_scan *scan,
                                      struct tm_json_value *value)
{
    return read_container(args, tm_text_at(prefix, strlen(prefix)), scan, value);
}

enum tm_status tm_json_args_value(struct tm_json_args *args, struct tm_text key, const struct tm_json_value *value)
{
    struct tm_json_scan scan = tm_json_scan_of(value);
    struct tm_json_value read;
    if (value->type == TM_JSON_OBJECT || value->type == TM_JSON_ARRAY)
        return read_container(args, key, &scan, &read) == TM_JSON_OK && !args->no_memory ? TM_OK : TM_E_SYSTEM;
    args->cut = false;
    args->place = NULL;
    begin_shape(args);
    tm_buf_clear(&args->detail);
    tm_buf_clear(&args->key);
    if (value->type == TM_JSON_NULL)
        return TM_OK;
    if (tm_buf_add(&args->key, key.data, key.len) != TM_OK ||
        tm_buf_reserve(&args->key, TM_JSON_ARG_PLACE_KEY_SLACK) != TM_OK)
        return TM_E_SYSTEM;
    return put_leaf(args, value);
}

enum tm_status tm_json_args_text(struct tm_json_args *args, struct tm_text key, struct tm_text text, bool *is_whole)
{
    struct tm_json_scan scan = tm_json_scan_bytes(text.data, text.data + text.len, true);
    struct tm_json_value value;
    enum tm_status st = TM_OK;
    tm_buf_clear(&args->detail);
    args->cut = false;
    *is_whole = false;
    if (!tm_json_space(&scan))
        return TM_OK;
    if (*scan.p == '{' || *scan.p == '[') {
        *is_whole = read_container(args, key, &scan, &value) == TM_JSON_OK;
        st = args->no_memory ? TM_E_SYSTEM : TM_OK;
    } else if (tm_json_value(&scan, &value) == TM_JSON_OK) {
        *is_whole = true;
        st = tm_json_args_value(args, key, &value);
    }
    *is_whole = *is_whole && !tm_json_space(&scan);
    return st;
}

enum tm_status tm_json_args_keys(struct tm_json_args *args, struct tm_buf *detail, uint32_t *keys,
                                 struct tm_error *err)
{
    enum tm_status st = TM_OK;
    *keys = 0;
    if (args->shape.count)
        st = tm_json_arg_shapes_find(args->shapes, &args->shape, detail, keys, err);
    /* Places are forgotten only after an event, because its shape would be lost. An event that goes on past the input
     * in memory is read again, with the same places. */
    if (args->places && args->places->is_full) {
        tm_json_arg_places_init(args->places);
        if (args->shapes)
            tm_json_arg_shapes_forget(args->shapes);
    }
    return st;
}

void tm_json_args_release(struct tm_json_args *args)
{
    tm_buf_release(&args->detail);
    tm_buf_release(&args->key);
    tm_buf_release(&args->text);
    free(args->levels);
    *args = (struct tm_json_args){0};
}
