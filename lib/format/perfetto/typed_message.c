#include "format/perfetto/typed_message.h"

#include "base/base64.h"
#include "format/perfetto/element_counts.h"
#include "perfetto/track_event_fields.h"
#include "perfetto/typed_fields.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>

static enum tm_status push_key(struct tm_buf *key, const struct tm_typed_field *field,
                               struct tm_proto_element_counts *counts)
{
    enum tm_status st = key->len ? tm_buf_add_byte(key, '.') : TM_OK;
    uint64_t *count;
    if (st == TM_OK)
        st = tm_buf_add_str(key, field->name);
    if (st < 0 || !field->is_repeated || (st = tm_proto_element_count(counts, field->number, &count)) < 0)
        return st;
    return tm_buf_addf(key, "[%" PRIu64 "]", (*count)++);
}

static enum tm_status put_bytes(struct tm_proto_rows *rows, const uint8_t *data, size_t len)
{
    struct tm_buf *text = &rows->text;
    tm_buf_clear(text);
    enum tm_status st = tm_base64_add(text, data, len);
    return st < 0 ? st : tm_detail_arg_bytes(&rows->detail, &rows->key, TM_ARG_STRING, text->data, text->len);
}

static enum tm_status put_enum(const struct tm_typed_writer *w, uint32_t type, int32_t value)
{
    char number[16];
    const char *name = tm_described_value_name(w->types, type, value);
    if (name == NULL) {
        snprintf(number, sizeof number, "%" PRId32, value);
        name = number;
    }
    return tm_detail_arg_bytes(&w->rows->detail, &w->rows->key, TM_ARG_STRING, name, strlen(name));
}

/* Puts FLAGS as texts with an index: the names of the bits from the lowest on, then the bits without a name as one
 * number. FLAGS that are 0 are no arg. */
static enum tm_status put_flags(const struct tm_typed_writer *w, uint32_t type, uint64_t flags)
{
    struct tm_buf *key = &w->rows->key;
    const size_t mark = key->len;
    enum tm_status st = TM_OK;
    unsigned count = 0;
    char number[24];
    for (uint64_t left = flags; st == TM_OK && left; left &= left - 1) {
        const uint64_t bit = left & ~(left - 1);
        const char *name = bit >> 32 ? NULL : tm_described_value_name(w->types, type, (int32_t)(uint32_t)bit);
        if (name == NULL)
            continue;
        flags &= ~bit;
        if ((st = tm_buf_addf(key, "[%u]", count++)) == TM_OK)
            st = tm_detail_arg_bytes(&w->rows->detail, key, TM_ARG_STRING, name, strlen(name));
        key->len = mark;
    }
    if (st != TM_OK || flags == 0)
        return st;
    snprintf(number, sizeof number, "0x%" PRIx64, flags);
    if ((st = tm_buf_addf(key, "[%u]", count)) == TM_OK)
        st = tm_detail_arg_bytes(&w->rows->detail, key, TM_ARG_STRING, number, strlen(number));
    key->len = mark;
    return st;
}

static enum tm_status put_float(struct tm_proto_rows *rows, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return tm_detail_arg_number(&rows->detail, &rows->key, TM_ARG_DOUBLE, tm_pb_bits(value));
}

static enum tm_status put_number(const struct tm_typed_writer *w, const struct tm_typed_field *field, uint64_t value)
{
    struct tm_buf *detail = &w->rows->detail, *key = &w->rows->key;
    switch ((enum tm_typed_kind)field->kind) {
    case TM_TYPED_INT: return tm_detail_arg_number(detail, key, TM_ARG_INT, value);
    case TM_TYPED_INT32: return tm_detail_arg_number(detail, key, TM_ARG_INT, (uint64_t)(int64_t)(int32_t)value);
    case TM_TYPED_ZIGZAG: return tm_detail_arg_number(detail, key, TM_ARG_INT, (uint64_t)tm_unzigzag(value));
    case TM_TYPED_UINT: return tm_detail_arg_number(detail, key, TM_ARG_UINT, value);
    case TM_TYPED_UINT32: return tm_detail_arg_number(detail, key, TM_ARG_UINT, (uint32_t)value);
    case TM_TYPED_BOOL: return tm_detail_arg_number(detail, key, TM_ARG_BOOL, value != 0);
    case TM_TYPED_FLOAT: return put_float(w->rows, value);
    case TM_TYPED_DOUBLE: return tm_detail_arg_number(detail, key, TM_ARG_DOUBLE, value);
    case TM_TYPED_ENUM: return put_enum(w, field->of, (int32_t)value);
    case TM_TYPED_FLAGS: return put_flags(w, field->of, value);
    case TM_TYPED_FLAGS32: return put_flags(w, field->of, (uint32_t)value);
    default: return TM_OK;
    }
}

static bool is_text(const struct tm_typed_field *field)
{
    return field->kind == TM_TYPED_TEXT || field->kind == TM_TYPED_BYTES || field->kind == TM_TYPED_MESSAGE ||
           field->kind == TM_TYPED_ANNOTATION;
}

/* Returns the wire type of a number in FIELD. */
static uint8_t wire_of(const struct tm_typed_field *field)
{
    return field->kind == TM_TYPED_FLOAT ? TM_PB_I32 : field->kind == TM_TYPED_DOUBLE ? TM_PB_I64 : TM_PB_VARINT;
}

/* Puts packed numbers, which have no tags. */
static enum tm_status put_packed(const struct tm_typed_writer *w, const struct tm_typed_field *field,
                                 struct tm_proto_element_counts *counts, const struct tm_pb_field *f)
{
    const uint8_t *at = f->data, *end = f->data ? f->data + f->len : NULL;
    size_t mark = w->rows->key.len, size = wire_of(field) == TM_PB_I32 ? 4 : 8;
    enum tm_status st = TM_OK;
    while (st == TM_OK && at < end && tm_proto_detail_takes(w->rows)) {
        uint64_t value = 0;
        if (wire_of(field) == TM_PB_VARINT) {
            if ((at = tm_varint_get(at, end, &value)) == NULL)
                break;
        } else {
            if ((size_t)(end - at) < size)
                break;
            value = size == 4 ? tm_get_le32(at) : tm_get_le64(at);
            at += size;
        }
        if ((st = push_key(&w->rows->key, field, counts)) == TM_OK)
            st = put_number(w, field, value);
        w->rows->key.len = mark;
    }
    return st;
}

static enum tm_status put_field(const struct tm_typed_writer *w, const struct tm_typed_field *field,
                                struct tm_proto_element_counts *counts, const struct tm_pb_field *f, int depth)
{
    size_t mark = w->rows->key.len;
    enum tm_status st;
    if (!is_text(field) && f->type == TM_PB_LEN)
        return field->is_repeated ? put_packed(w, field, counts, f) : TM_OK;
    if (is_text(field) != (f->type == TM_PB_LEN))
        return TM_OK;
    if (field->kind == TM_TYPED_ANNOTATION) { /* an annotation has its own name */
        st = w->annotation(w->self, f, depth + 1);
        w->rows->key.len = mark;
        return st;
    }
    st = push_key(&w->rows->key, field, counts);
    if (st == TM_OK && field->kind == TM_TYPED_MESSAGE)
        st = tm_proto_typed_message_put(w, field->of, tm_pb_of(f->data, f->len), depth + 1);
    else if (st == TM_OK && field->kind == TM_TYPED_TEXT)
        st = tm_detail_arg_bytes(&w->rows->detail, &w->rows->key, TM_ARG_STRING, f->data, f->len);
    else if (st == TM_OK && field->kind == TM_TYPED_BYTES)
        st = put_bytes(w->rows, f->data, f->len);
    else if (st == TM_OK)
        st = put_number(w, field, f->value);
    w->rows->key.len = mark;
    return st;
}

enum tm_status tm_proto_typed_message_put(const struct tm_typed_writer *w, uint32_t message, struct tm_pb pb, int depth)
{
    struct tm_proto_element_counts counts;
    struct tm_pb_field f;
    bool is_empty = true;
    enum tm_status st = TM_OK;
    w->rows->is_cut |= depth > TM_PROTO_DEPTH_MAX;
    if (depth > TM_PROTO_DEPTH_MAX)
        return TM_OK;
    tm_proto_element_counts_init(&counts);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK && tm_proto_detail_takes(w->rows)) {
        const struct tm_typed_field *field = tm_described_field_find(w->types, message, f.id);
        is_empty = false;
        if (field)
            st = put_field(w, field, &counts, &f, depth);
        else if (w->unknown && !(depth == 0 && tm_track_event_has_field(f.id)))
            ++*w->unknown;
    }
    tm_proto_element_counts_release(&counts);
    if (st < 0 || !is_empty || depth == 0)
        return st;
    return tm_detail_arg_number(&w->rows->detail, &w->rows->key, TM_ARG_NULL, 1);
}
