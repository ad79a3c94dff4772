#include "format/json_args.h"

#include "base/decimal.h"
#include "base/pb.h"
#include "json/fast_path.h"
#include "stream/detail_fields.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* output is limited to ARGS_BYTES_FREE bytes plus ARGS_GROWTH_MAX times the bytes of the text */
enum { ARGS_BYTES_FREE = 64 << 10, ARGS_GROWTH_MAX = 16 };
enum { ARG_SLACK = 32 /* bytes of a key that are copied at once */ };
enum { NUMBER_TEXT_MAX = 800 }; /* more digits than any double needs to differ from its neighbours */

/* An open object or array. */
struct tm_json_args_level {
    size_t key_len; /* length of its own key */
    uint32_t index; /* of the next element; in the outermost object, of the next member */
    bool object;
};

static bool to_double(const uint8_t *data, size_t len, double *d)
{
    char text[NUMBER_TEXT_MAX + 1];
    char *end;
    if (len == 0 || len > NUMBER_TEXT_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        if (data[i] == 0 || strchr("0123456789+-.eE", data[i]) == NULL)
            return false;
    memcpy(text, data, len);
    text[len] = '\0';
    *d = strtod(text, &end);
    return end == text + len && isfinite(*d);
}

/* Converts digits with a point among them, and an optional '-'. It does so only if the digits as an integer, and the
 * power of ten that they are divided by, are exact as doubles; then the quotient is rounded as strtod does. */
static bool short_double(const uint8_t *data, size_t len, double *d)
{
    enum { EXACT_DIGITS = 15 /* below 2^53 */ };
    static const double powers[EXACT_DIGITS + 1] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool is_negative = len > 0 && data[0] == '-';
    uint64_t v = 0;
    size_t i = is_negative, point = len;
    if (FLT_EVAL_METHOD != 0 || len - i > EXACT_DIGITS + 1)
        return false;
    for (; i < len; i++) {
        unsigned digit = (unsigned)data[i] - '0';
        if (data[i] == '.' && point == len)
            point = i;
        else if (digit > 9)
            return false;
        else
            v = v * 10 + digit;
    }
    if (point == len || len - is_negative < 2)
        return false;
    *d = (double)v / powers[len - point - 1];
    if (is_negative)
        *d = -*d;
    return true;
}

/* Parses up to 18 digits with an optional '-'. */
static bool small_int(const uint8_t *data, size_t len, uint64_t *bits)
{
    uint64_t v = 0;
    size_t i = len > 0 && data[0] == '-';
    if (len == i || len > 18)
        return false;
    for (; i < len; i++) {
        unsigned digit = (unsigned)data[i] - '0';
        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    *bits = data[0] == '-' ? 0 - v : v;
    return true;
}

bool tm_json_number(const uint8_t *data, size_t len, bool *is_double, uint64_t *bits)
{
    int64_t v;
    double d;
    if (small_int(data, len, bits)) {
        *is_double = false;
        return true;
    }
    *is_double = tm_decimal_int((const char *)data, len, &v) != TM_OK;
    if (!*is_double) {
        *bits = (uint64_t)v;
        return true;
    }
    if (!short_double(data, len, &d) && !to_double(data, len, &d))
        return false;
    *bits = tm_pb_bits(d);
    return true;
}

/* Returns the place in DETAIL for one Arg of the current key: ARG_SLACK bytes more than it takes with VALUE_BYTES for
 * its value field. NULL: out of memory. */
static inline uint8_t *arg_place(const struct tm_json_args *a, struct tm_buf *detail, size_t value_bytes)
{
    size_t most = 4 + 3 * TM_VARINT_MAX + a->key.len + value_bytes + ARG_SLACK;
    return tm_buf_reserve(detail, most) == TM_OK ? detail->data + detail->len : NULL;
}

/* Adds one Arg with the current key, except for its value field, which takes VALUE_BYTES. Returns the place of that
 * field. NULL: out of memory. */
static inline uint8_t *begin_arg(struct tm_json_args *a, struct tm_buf *detail, size_t value_bytes)
{
    size_t key_len = a->key.len, inner = 1 + tm_varint_size(key_len) + key_len + value_bytes;
    uint8_t *start = arg_place(a, detail, value_bytes), *p = start;
    if (p == NULL || tm_buf_reserve(&a->key, ARG_SLACK) != TM_OK)
        return NULL;
    *p++ = TM_DETAIL_ARGS << 3 | TM_PB_LEN;
    p = tm_varint_put(p, inner);
    detail->len += (size_t)(p - start) + inner;
    *p++ = TM_ARG_KEY << 3 | TM_PB_LEN;
    p = tm_varint_put(p, key_len);
    tm_copy_short(p, a->key.data, key_len, ARG_SLACK);
    return p + key_len;
}

static enum tm_status put_varint(struct tm_json_args *a, struct tm_buf *detail, uint32_t field, uint64_t v)
{
    uint8_t *p = begin_arg(a, detail, 1 + tm_varint_size(v));
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = (uint8_t)(field << 3 | TM_PB_VARINT);
    tm_varint_put(p, v);
    return TM_OK;
}

static enum tm_status put_double(struct tm_json_args *a, struct tm_buf *detail, uint64_t bits)
{
    uint8_t *p = begin_arg(a, detail, 9);
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = TM_ARG_DOUBLE << 3 | TM_PB_I64;
    tm_put_le64(p, bits);
    return TM_OK;
}

static enum tm_status put_string(struct tm_json_args *a, struct tm_buf *detail, const uint8_t *s, size_t len)
{
    uint8_t *p = begin_arg(a, detail, 1 + tm_varint_size(len) + len);
    if (p == NULL)
        return TM_E_SYSTEM;
    *p++ = TM_ARG_STRING << 3 | TM_PB_LEN;
    p = tm_varint_put(p, len);
    if (len)
        memcpy(p, s, len);
    return TM_OK;
}

/* Adds the scalar V under the current key. */
static enum tm_status put_leaf(struct tm_json_args *a, struct tm_buf *detail, const struct tm_json_value *v)
{
    const uint8_t *s;
    size_t len;
    bool is_double;
    uint64_t bits;
    switch (v->type) {
    case TM_JSON_TRUE:
    case TM_JSON_FALSE:
        return put_varint(a, detail, TM_ARG_BOOL, v->type == TM_JSON_TRUE);
    case TM_JSON_NUMBER:
        if (!tm_json_number(v->data, v->len, &is_double, &bits))
            return put_string(a, detail, v->data, v->len);
        return is_double ? put_double(a, detail, bits) : put_varint(a, detail, TM_ARG_INT, tm_zigzag((int64_t)bits));
    case TM_JSON_STRING:
        return tm_json_text(v, &a->text, &s, &len) ? put_string(a, detail, s, len) : TM_E_SYSTEM;
    default:
        return put_string(a, detail, v->data, v->len);
    }
}

static inline enum tm_status put_index(struct tm_buf *key, uint32_t index)
{
    uint8_t text[12];
    size_t at = sizeof text;
    if (tm_buf_reserve(key, sizeof text) != TM_OK)
        return TM_E_SYSTEM;
    if (index < 10) {
        uint8_t *p = key->data + key->len;
        p[0] = '[';
        p[1] = (uint8_t)('0' + index);
        p[2] = ']';
        key->len += 3;
        return TM_OK;
    }
    text[--at] = ']';
    do {
        text[--at] = (uint8_t)('0' + index % 10);
        index /= 10;
    } while (index);
    text[--at] = '[';
    return tm_buf_add(key, text + at, sizeof text - at);
}

/* Sets the key of the next value of the innermost level: that level's own key, extended. */
static enum tm_status extend_key(struct tm_json_args *a, struct tm_json_args_level *level,
                                 const struct tm_json_value *key)
{
    const uint8_t *s;
    size_t len;
    a->key.len = level->key_len;
    if (!level->object)
        return put_index(&a->key, level->index++);
    if (!tm_json_text(key, &a->text, &s, &len) || tm_buf_reserve(&a->key, len + 1) != TM_OK)
        return TM_E_SYSTEM;
    a->key.data[a->key.len++] = '.';
    memcpy(a->key.data + a->key.len, s, len);
    a->key.len += len;
    return TM_OK;
}

/* True if the current key is one of the names in wanted. They are names within "args". */
static bool is_listed(struct tm_json_args *a)
{
    enum { PREFIX_BYTES = 5 /* "args." */ };
    size_t at = a->key.len > PREFIX_BYTES && memcmp(a->key.data, "args.", PREFIX_BYTES) == 0 ? PREFIX_BYTES : 0;
    return tm_name_memo_has(&a->memo, a->wanted, a->key.data + at, a->key.len - at);
}

/* True if an argument with the current key is to be added. */
static inline bool is_wanted(struct tm_json_args *a)
{
    return a->wanted == NULL || is_listed(a);
}

/* Notes whether the detail has become too long for arguments of READ bytes. */
static void check_growth(struct tm_json_args *a, size_t read)
{
    if (a->detail.len > ARGS_BYTES_FREE + read * ARGS_GROWTH_MAX)
        a->cut = true;
}

/* Adds the value V as an argument, or notes why it is left out. V ends READ bytes into the arguments. */
static void take_leaf(struct tm_json_args *a, const struct tm_json_value *v, size_t read)
{
    if (put_leaf(a, &a->detail, v) != TM_OK)
        a->no_memory = true;
    else
        check_growth(a, read);
}

enum { TAG_WANTED = 1 }; /* tags of remembered members */

static struct tm_json_args_recalled *made_of(struct tm_json_args *a, const struct tm_json_recalled *slot)
{
    return &a->recall->made[slot - a->recall->members.slots];
}

/* Adds the argument that was made of the member of SLOT. The member ends READ bytes into the arguments. */
static void take_recalled(struct tm_json_args *a, const struct tm_json_recalled *slot, size_t read)
{
    const struct tm_json_args_recalled *made = made_of(a, slot);
    if (a->cut || made->arg_len == 0)
        return;
    if (tm_buf_add(&a->detail, made->arg, made->arg_len) != TM_OK)
        a->no_memory = true;
    else
        check_growth(a, read);
}

/* Sets the current key to that of the member of SLOT. */
static void use_recalled_key(struct tm_json_args *a, const struct tm_json_recalled *slot)
{
    const struct tm_json_args_recalled *made = made_of(a, slot);
    a->key.len = 0;
    if (tm_buf_add(&a->key, made->key, made->key_len) != TM_OK)
        a->no_memory = true;
}

/* Remembers in SLOT what was made of its member: the key, and the argument at byte BEFORE of the detail, if there is
 * one. */
static void note_made(struct tm_json_args *a, struct tm_json_recalled *slot, bool wanted, size_t before)
{
    struct tm_json_args_recalled *made = made_of(a, slot);
    size_t arg_len = a->detail.len - before;
    if (slot->key_len == 0 || a->cut || a->no_memory || a->key.len > sizeof made->key || arg_len > sizeof made->arg) {
        slot->key_len = 0;
        return;
    }
    made->key_len = (uint8_t)a->key.len;
    memcpy(made->key, a->key.data, a->key.len);
    made->arg_len = (uint8_t)arg_len;
    if (arg_len)
        memcpy(made->arg, a->detail.data + before, arg_len);
    slot->tag = wanted ? TAG_WANTED : 0;
}

/* Sets the current key to that of the member or element at SCAN's p. *NULL: its value is null, which has no key. */
static enum tm_json_status next_key(struct tm_json_args *a, struct tm_json_args_level *level,
                                    struct tm_json_scan *scan, bool *null)
{
    struct tm_json_value key = {0};
    enum tm_json_status st;
    if (level->object && (st = tm_json_key(scan, &key)) != TM_JSON_OK)
        return st;
    *null = *scan->p == 'n' && scan->end - scan->p >= 4 && memcmp(scan->p, "null", 4) == 0;
    if (!*null && !a->cut && extend_key(a, level, &key) != TM_OK)
        a->no_memory = true;
    return TM_JSON_OK;
}

/* Opens the container at SCAN's p under the current key. */
static enum tm_json_status open_level(struct tm_json_args *a, struct tm_json_scan *scan, size_t *depth)
{
    if (*depth == TM_JSON_DEPTH_MAX) {
        return tm_json_bad(scan, scan->p, "nesting is too deep");
    }
    a->levels[(*depth)++] = (struct tm_json_args_level){a->key.len, 0, *scan->p++ == '{'};
    return TM_JSON_OK;
}

/* Returns the slot of the member at SCAN's p. NULL: members of this level are not remembered. */
static inline struct tm_json_recalled *slot_of(struct tm_json_args *a, struct tm_json_args_level *level,
                                               const struct tm_json_scan *scan)
{
    if (a->recall == NULL || level != a->levels || !level->object)
        return NULL;
    return tm_json_recall_slot(&a->recall->members, scan->p, scan->end, level->index++);
}

/* As tm_json_comma. Usually there is no white space. */
static inline enum tm_json_status skip_comma(struct tm_json_scan *scan, bool in_object)
{
    uint8_t closer = in_object ? '}' : ']';
    if (scan->p < scan->end && *scan->p == ',')
        scan->p++;
    else if (scan->p == scan->end || *scan->p != closer)
        return tm_json_comma(scan, closer);
    return TM_JSON_OK;
}

/* Reads the value at SCAN's p if it is a usual integer, and adds it if WANTED. START is the start of the arguments.
 */
static inline bool read_int(struct tm_json_args *a, struct tm_json_scan *scan, const uint8_t *start, bool wanted)
{
    uint64_t v;
    const uint8_t *after;
    if (scan->end - scan->p < TM_JSON_NUMBER_ROOM || (after = tm_json_fast_int(scan->p, &v)) == NULL)
        return false;
    scan->p = after;
    if (wanted && put_varint(a, &a->detail, TM_ARG_INT, v << 1) != TM_OK)
        a->no_memory = true;
    else if (wanted)
        check_growth(a, (size_t)(after - start));
    return true;
}

/* Reads the member or element at SCAN's p with its comma. If its value is a container, opens it and increases DEPTH.
 * START is the start of the arguments. */
static enum tm_json_status read_next(struct tm_json_args *a, struct tm_json_scan *scan, const uint8_t *start,
                                     size_t *depth)
{
    struct tm_json_args_level *level = &a->levels[*depth - 1];
    struct tm_json_value v;
    const uint8_t *member = scan->p;
    bool null = false;
    enum tm_json_status st = TM_JSON_OK;
    struct tm_json_recalled *slot = slot_of(a, level, scan);
    enum tm_json_recall_match match = slot ? tm_json_recall_match(slot, scan, &v) : TM_JSON_RECALL_NONE;
    if (match == TM_JSON_RECALL_MEMBER) {
        take_recalled(a, slot, (size_t)(scan->p - start));
        return TM_JSON_OK;
    }
    if (match == TM_JSON_RECALL_KEY)
        use_recalled_key(a, slot);
    else if ((st = next_key(a, level, scan, &null)) != TM_JSON_OK)
        return st;
    const uint8_t *value_start = scan->p;
    if (*value_start == '{' || *value_start == '[') {
        if (slot && match == TM_JSON_RECALL_NONE && !a->cut) {
            tm_json_recall_note_key(slot, member, value_start);
            note_made(a, slot, is_wanted(a), a->detail.len);
        }
        return open_level(a, scan, depth);
    }
    bool notes = slot && (match == TM_JSON_RECALL_NONE || tm_json_recall_takes(slot));
    if (!notes && !a->cut && tm_json_is_digit(*value_start) &&
        read_int(a, scan, start, match == TM_JSON_RECALL_KEY ? slot->tag == TAG_WANTED : is_wanted(a)))
        return skip_comma(scan, level->object);
    if ((st = tm_json_value(scan, &v)) != TM_JSON_OK)
        return st;
    null = v.type == TM_JSON_NULL;
    bool wanted = !null && !a->cut && (match == TM_JSON_RECALL_KEY ? slot->tag == TAG_WANTED : is_wanted(a));
    size_t before = a->detail.len;
    if (wanted)
        take_leaf(a, &v, (size_t)(scan->p - start));
    if (notes && !null && !a->cut) {
        tm_json_recall_note(slot, member, value_start, &v, scan->p);
        note_made(a, slot, wanted, before);
    }
    return skip_comma(scan, level->object);
}

/* Reads everything inside the container at SCAN's p. */
static enum tm_json_status walk(struct tm_json_args *a, struct tm_json_scan *scan)
{
    size_t depth = 0;
    const uint8_t *start = scan->p;
    enum tm_json_status st = open_level(a, scan, &depth);
    while (st == TM_JSON_OK && depth) {
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if (*scan->p != (a->levels[depth - 1].object ? '}' : ']')) {
            st = read_next(a, scan, start, &depth);
            continue;
        }
        scan->p++;
        if (--depth)
            st = skip_comma(scan, a->levels[depth - 1].object);
    }
    return st;
}

enum tm_json_status tm_json_args_read(struct tm_json_args *args, const char *prefix, struct tm_json_scan *scan,
                                      struct tm_json_value *value)
{
    const uint8_t *start = scan->p;
    tm_buf_clear(&args->key);
    tm_buf_clear(&args->detail);
    args->cut = false;
    args->no_memory = tm_buf_add_str(&args->key, prefix) != TM_OK;
    if (args->levels == NULL)
        args->levels = calloc(TM_JSON_DEPTH_MAX, sizeof *args->levels);
    if (args->levels == NULL || args->no_memory) {
        args->no_memory = true;
        return tm_json_value(scan, value);
    }
    enum tm_json_status st = walk(args, scan);
    *value = (struct tm_json_value){.data = start, .len = (size_t)(scan->p - start),
                                    .type = *start == '{' ? TM_JSON_OBJECT : TM_JSON_ARRAY};
    return st;
}

enum tm_status tm_json_args_value(struct tm_json_args *args, const char *key, const struct tm_json_value *value)
{
    struct tm_json_scan scan = tm_json_scan_of(value);
    struct tm_json_value read;
    if (value->type == TM_JSON_OBJECT || value->type == TM_JSON_ARRAY)
        return tm_json_args_read(args, key, &scan, &read) == TM_JSON_OK && !args->no_memory ? TM_OK : TM_E_SYSTEM;
    args->cut = false;
    tm_buf_clear(&args->detail);
    tm_buf_clear(&args->key);
    if (value->type == TM_JSON_NULL)
        return TM_OK;
    return tm_buf_add_str(&args->key, key) == TM_OK ? put_leaf(args, &args->detail, value) : TM_E_SYSTEM;
}

void tm_json_args_release(struct tm_json_args *args)
{
    tm_buf_release(&args->detail);
    tm_buf_release(&args->key);
    tm_buf_release(&args->text);
    free(args->levels);
    *args = (struct tm_json_args){0};
}
