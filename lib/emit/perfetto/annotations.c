#include "emit/perfetto/annotations.h"

#include "base/table.h"
#include "base/text.h"
#include "perfetto/packet_fields.h"
#include "stream/detail_fields.h"

#include <stdlib.h>

/* Fields of NestedValue. */
enum { NESTED_TYPE = 1, NESTED_DICTIONARY = 1 };

enum { FILLERS_MAX = 1 << 14 }; /* limit for the arguments of one event */

static const char json_prefix[] = "args.";

struct annotation_out {
    struct tm_buf *buf;
    uint32_t fillers; /* number so far */
};

enum tm_status tm_annotations_add(struct tm_annotations *a, const struct tm_pb_field *f)
{
    enum { PREFIX = sizeof json_prefix - 1 };
    struct tm_pb pb = tm_pb_of(f->data, f->len);
    struct tm_pb_field g;
    if (tm_array_grow(&a->args, &a->cap, a->count, sizeof *a->args, NULL) < 0)
        return TM_E_SYSTEM;
    struct tm_annotation *arg = &a->args[a->count];
    *arg = (struct tm_annotation){.key = f->data};
    while (tm_pb_next(&pb, &g) == TM_OK) {
        if (g.id != TM_ARG_KEY || g.type != TM_PB_LEN) {
            arg->type = g.id;
            arg->value = g.value;
            arg->bytes = g.data;
            arg->bytes_len = (uint32_t)g.len;
            continue;
        }
        size_t skip = g.len > PREFIX && memcmp(g.data, json_prefix, PREFIX) == 0 ? PREFIX : 0;
        arg->key = g.data + skip;
        arg->len = (uint32_t)(g.len - skip);
    }
    a->count += arg->type != 0;
    return TM_OK;
}

/* Writes the value of ARG at P, which has room, and returns the byte after it. */
static uint8_t *put_value(uint8_t *p, const struct tm_annotation *arg)
{
    switch (arg->type) {
    case TM_ARG_INT: return tm_pb_varint_at(p, TM_ANNOTATION_INT, (uint64_t)tm_unzigzag(arg->value));
    case TM_ARG_UINT: return tm_pb_varint_at(p, TM_ANNOTATION_UINT, arg->value);
    case TM_ARG_STRING: return tm_pb_bytes_at(p, TM_ANNOTATION_STRING, arg->bytes, arg->bytes_len);
    case TM_ARG_BOOL: return tm_pb_varint_at(p, TM_ANNOTATION_BOOL, arg->value);
    case TM_ARG_POINTER: return tm_pb_varint_at(p, TM_ANNOTATION_POINTER, arg->value);
    case TM_ARG_JSON: return tm_pb_bytes_at(p, TM_ANNOTATION_JSON, arg->bytes, arg->bytes_len);
    case TM_ARG_DOUBLE:
        p = tm_pb_tag_put(p, TM_ANNOTATION_DOUBLE, TM_PB_I64);
        tm_put_le64(p, arg->value);
        return p + 8;
    default: return p;
    }
}

/* Puts ARG's value as field ID, with a NAME unless its data is NULL. */
static enum tm_status put_leaf(struct tm_buf *out, uint32_t id, struct tm_text name, const struct tm_annotation *arg)
{
    if (tm_buf_reserve(out, 4 * TM_PB_FIELD_MAX + name.len + arg->bytes_len) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *mark = tm_pb_tag_put(out->data + out->len, id, TM_PB_LEN), *p = mark + 1; /* a length of one byte */
    if (name.data)
        p = tm_pb_bytes_at(p, TM_ANNOTATION_NAME, name.data, name.len);
    p = put_value(p, arg);
    out->len = (size_t)(p - out->data);
    return tm_pb_end(out, (size_t)(mark - out->data));
}

/* Returns the end of "[12]" at AT in ARG's key, if it is an index at the end of the key or before another part;
 * otherwise 0. */
static uint32_t index_end(const struct tm_annotation *arg, uint32_t at)
{
    uint32_t i = at + 1;
    if (at >= arg->len || arg->key[at] != '[')
        return 0;
    while (i < arg->len && arg->key[i] >= '0' && arg->key[i] <= '9')
        i++;
    if (i == at + 1 || i == arg->len || arg->key[i] != ']')
        return 0;
    i++;
    return i == arg->len || arg->key[i] == '.' || arg->key[i] == '[' ? i : 0;
}

/* Returns a word whose lowest bit that is set is the top bit of the first byte of X that is equal to the bytes of ALL.
 * Higher bits may be set too. 0: no byte is equal. */
static uint64_t find_byte(uint64_t x, uint64_t all)
{
    x ^= all;
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* Returns the place of the first dot or bracket in ARG's key from I on, or the key's end. */
static uint32_t find_mark(const struct tm_annotation *arg, uint32_t i)
{
    enum { STEP = 8 };
    const uint64_t dots = UINT64_C(0x2e2e2e2e2e2e2e2e), brackets = UINT64_C(0x5b5b5b5b5b5b5b5b);
    for (; arg->len - i >= STEP; i += STEP) {
        uint64_t x = tm_get_le64(arg->key + i), found = find_byte(x, dots) | find_byte(x, brackets);
        if (found)
            return i + tm_trailing_zeros(found) / 8;
    }
    while (i < arg->len && arg->key[i] != '.' && arg->key[i] != '[')
        i++;
    return i;
}

/* Returns the end of the name that starts at FROM. A bracket at FROM, or one without an index, is part of the name. */
static uint32_t name_end(const struct tm_annotation *arg, uint32_t from)
{
    uint32_t i = find_mark(arg, from);
    while (i < arg->len && arg->key[i] == '[' && (i == from || !index_end(arg, i)))
        i = find_mark(arg, i + 1);
    return i;
}

/* Counts the args at A, at most COUNT, whose keys are equal up to END and in the byte there. */
static uint32_t count_alike(const struct tm_annotation *a, uint32_t count, uint32_t end)
{
    uint32_t n = 1;
    while (n < count && a[n].len > end && memcmp(a[n].key, a->key, end + 1) == 0 &&
           (a->key[end] != '[' || index_end(&a[n], end)))
        n++;
    return n;
}

/* Arguments whose keys are equal before FROM. DEPTH groups are around it. */
struct group {
    const struct tm_annotation *args;
    uint32_t count, from;
    int depth;
};

static enum tm_status put_group(const struct group *group, uint32_t id, struct annotation_out *out);

/* Returns the index that starts at FROM in ARG's key and ends before END; UINT64_MAX if it is too large. */
static uint64_t index_of(const struct tm_annotation *arg, uint32_t from, uint32_t end)
{
    uint64_t index = 0;
    for (uint32_t i = from + 1; i + 1 < end; i++) {
        if (index > UINT32_MAX)
            return UINT64_MAX;
        index = index * 10 + (uint64_t)(arg->key[i] - '0');
    }
    return index;
}

/* Puts COUNT elements that have no argument. */
static enum tm_status put_fillers(struct annotation_out *out, uint64_t count)
{
    size_t element, nested;
    if (count > FILLERS_MAX - out->fillers)
        return TM_OK;
    out->fillers += (uint32_t)count;
    for (; count > 0; count--)
        if (tm_pb_begin(out->buf, TM_ANNOTATION_ARRAY, &element) != TM_OK ||
            tm_pb_begin(out->buf, TM_ANNOTATION_NESTED, &nested) != TM_OK ||
            tm_pb_put_varint(out->buf, NESTED_TYPE, NESTED_DICTIONARY) != TM_OK ||
            tm_pb_end(out->buf, nested) != TM_OK || tm_pb_end(out->buf, element) != TM_OK)
            return TM_E_SYSTEM;
    return TM_OK;
}

/* Puts the elements of an array. Each key of GROUP continues with an index. */
static enum tm_status put_elements(const struct group *group, struct annotation_out *out)
{
    const struct tm_annotation *args = group->args;
    enum tm_status st = TM_OK;
    uint64_t next = 0;
    for (uint32_t i = 0, n; i < group->count && st == TM_OK; i += n) {
        uint32_t end = index_end(&args[i], group->from);
        uint64_t index = index_of(&args[i], group->from, end);
        size_t mark;
        n = 1;
        if (index > next && (st = put_fillers(out, index - next)) < 0)
            return st;
        next = index + 1;
        if (end == args[i].len) {
            st = put_leaf(out->buf, TM_ANNOTATION_ARRAY, (struct tm_text){NULL, 0}, &args[i]);
        } else if ((st = tm_pb_begin(out->buf, TM_ANNOTATION_ARRAY, &mark)) == TM_OK) {
            bool is_entry = args[i].key[end] == '.';
            n = count_alike(&args[i], group->count - i, end);
            const struct group inner = {&args[i], n, end + is_entry, group->depth + 1};
            st = is_entry || group->depth >= TM_ANNOTATION_DEPTH_MAX ? put_group(&inner, TM_ANNOTATION_DICT, out)
                                                                     : put_elements(&inner, out);
            if (st == TM_OK)
                st = tm_pb_end(out->buf, mark);
        }
    }
    return st;
}

/* Puts GROUP as fields ID. */
static enum tm_status put_group(const struct group *group, uint32_t id, struct annotation_out *out)
{
    const uint32_t from = group->from;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0, n; i < group->count && st == TM_OK; i += n) {
        const struct tm_annotation *arg = &group->args[i];
        uint32_t end = group->depth < TM_ANNOTATION_DEPTH_MAX ? name_end(arg, from) : arg->len;
        size_t mark;
        n = 1;
        const struct tm_text name = tm_text_at(arg->key + from, end - from);
        if (end == arg->len) {
            st = put_leaf(out->buf, id, name, arg);
            continue;
        }
        if ((st = tm_pb_begin(out->buf, id, &mark)) < 0 ||
            (st = tm_pb_put_bytes(out->buf, TM_ANNOTATION_NAME, name.data, name.len)) < 0)
            return st;
        bool is_entry = arg->key[end] == '.';
        n = count_alike(arg, group->count - i, end);
        const struct group inner = {arg, n, end + is_entry, group->depth + 1};
        st = is_entry ? put_group(&inner, TM_ANNOTATION_DICT, out) : put_elements(&inner, out);
        if (st == TM_OK)
            st = tm_pb_end(out->buf, mark);
    }
    return st;
}

enum tm_status tm_annotations_write(struct tm_annotations *a, uint32_t id, struct tm_buf *out)
{
    struct annotation_out to = {.buf = out};
    const struct group all = {a->args, a->count, 0, 0};
    a->count = 0;
    return put_group(&all, id, &to);
}

void tm_annotations_release(struct tm_annotations *a)
{
    free(a->args);
    *a = (struct tm_annotations){0};
}
