#include "format/perfetto/config_text.h"

#include "format/perfetto/internal.h"
#include "perfetto/config_fields.h"

#include <inttypes.h>

enum { INDENT = 2 };

/* The output and the current nesting depth. */
struct text {
    struct tm_buf *out;
    size_t begin; /* offset of the text in OUT */
    int depth;
};

static enum tm_status new_line(const struct text *t)
{
    if (t->out->len == t->begin)
        return TM_OK;
    return tm_buf_addf(t->out, "\n%*s", t->depth * INDENT, "");
}

/* Appends a text in quotes. Bytes that are not printable ASCII become escape sequences of C. */
static enum tm_status put_quoted(struct tm_buf *out, const uint8_t *data, size_t len)
{
    static const char escaped[] = "\a\b\f\n\r\t\v\\\'\"", letters[] = "abfnrtv\\\'\"";
    enum tm_status st = tm_buf_add_byte(out, '"');
    for (size_t i = 0; i < len && st == TM_OK; i++) {
        const char *at = data[i] ? strchr(escaped, data[i]) : NULL;
        if (at)
            st = tm_buf_addf(out, "\\%c", letters[at - escaped]);
        else if (data[i] >= 0x20 && data[i] <= 0x7e)
            st = tm_buf_add_byte(out, data[i]);
        else
            st = tm_buf_addf(out, "\\%03o", (unsigned)data[i]);
    }
    return st < 0 ? st : tm_buf_add_byte(out, '"');
}

static enum tm_status put_unknown(struct tm_buf *out, uint32_t id, uint64_t value)
{
    return tm_buf_addf(out, "%" PRIu32 ": %" PRId64, id, (int64_t)value);
}

static enum tm_status put_varint(struct tm_buf *out, const struct tm_typed_field *field, uint32_t id, uint64_t value)
{
    const char *name;
    if (field == NULL)
        return put_unknown(out, id, value);
    switch ((enum tm_typed_kind)field->kind) {
    case TM_TYPED_INT: return tm_buf_addf(out, "%s: %" PRId64, field->name, (int64_t)value);
    case TM_TYPED_INT32: return tm_buf_addf(out, "%s: %" PRId32, field->name, (int32_t)value);
    case TM_TYPED_ZIGZAG: return tm_buf_addf(out, "%s: %" PRId64, field->name, tm_unzigzag(value));
    case TM_TYPED_UINT: return tm_buf_addf(out, "%s: %" PRIu64, field->name, value);
    case TM_TYPED_UINT32: return tm_buf_addf(out, "%s: %" PRIu32, field->name, (uint32_t)value);
    case TM_TYPED_BOOL: return tm_buf_addf(out, "%s: %s", field->name, value ? "true" : "false");
    case TM_TYPED_ENUM:
        name = tm_typed_schema_value(&tm_config_schema, field->of, (int32_t)value);
        return name ? tm_buf_addf(out, "%s: %s", field->name, name) : put_unknown(out, id, value);
    default: return put_unknown(out, id, value);
    }
}

static enum tm_status put_fixed(struct tm_buf *out, const struct tm_typed_field *field, const struct tm_pb_field *f)
{
    if (f->type == TM_PB_I64)
        return field && field->kind == TM_TYPED_DOUBLE
                   ? tm_buf_addf(out, "%s: %f", field->name, tm_pb_double(f->value))
                   : tm_buf_addf(out, "%" PRIu32 ": 0x%016" PRIx64, f->id, f->value);
    if (field == NULL || field->kind != TM_TYPED_FLOAT)
        return tm_buf_addf(out, "%" PRIu32 ": 0x%08" PRIx32, f->id, (uint32_t)f->value);
    uint32_t word = (uint32_t)f->value;
    float value;
    memcpy(&value, &word, sizeof value);
    return tm_buf_addf(out, "%s: %f", field->name, (double)value);
}

/* Appends packed varints, each on a line of its own. */
static enum tm_status put_packed(const struct text *t, const struct tm_typed_field *field, const struct tm_pb_field *f)
{
    const uint8_t *at = f->data, *end = f->data ? f->data + f->len : NULL;
    enum tm_status st = TM_OK;
    uint64_t value;
    for (bool first = true; st == TM_OK && at < end && (at = tm_varint_get(at, end, &value)) != NULL; first = false) {
        st = first ? TM_OK : new_line(t);
        if (st == TM_OK)
            st = put_varint(t->out, field, f->id, value);
    }
    return st;
}

static enum tm_status put_message(struct text *t, uint32_t message, const uint8_t *data, size_t len);

static enum tm_status put_bytes(struct text *t, const struct tm_typed_field *field, const struct tm_pb_field *f)
{
    struct tm_buf *out = t->out;
    enum tm_typed_kind kind = field ? (enum tm_typed_kind)field->kind : TM_TYPED_BYTES;
    enum tm_status st;
    if (kind == TM_TYPED_MESSAGE) {
        if ((st = tm_buf_addf(out, "%s {", field->name)) < 0)
            return st;
        t->depth++;
        st = put_message(t, field->of, f->data, f->len);
        t->depth--;
        if (st == TM_OK)
            st = new_line(t);
        return st < 0 ? st : tm_buf_add_byte(out, '}');
    }
    if (kind != TM_TYPED_TEXT && kind != TM_TYPED_BYTES)
        return put_packed(t, field, f);
    st = field ? tm_buf_addf(out, "%s: ", field->name) : tm_buf_addf(out, "%" PRIu32 ": ", f->id);
    return st < 0 ? st : put_quoted(out, f->data, f->len);
}

static enum tm_status put_message(struct text *t, uint32_t message, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    if (t->depth > TM_PROTO_DEPTH_MAX)
        return TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        const struct tm_typed_field *field = tm_typed_schema_field(&tm_config_schema, message, f.id);
        if ((st = new_line(t)) < 0)
            break;
        st = f.type == TM_PB_LEN      ? put_bytes(t, field, &f)
             : f.type == TM_PB_VARINT ? put_varint(t->out, field, f.id, f.value)
                                      : put_fixed(t->out, field, &f);
    }
    return st;
}

enum tm_status tm_proto_config_text(struct tm_buf *out, const uint8_t *data, size_t len)
{
    struct text text = {.out = out, .begin = out->len};
    return put_message(&text, TM_CONFIG_TRACE, data, len);
}
