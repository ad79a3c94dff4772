#include "emit/message_out.h"

static const void *at(const ProtobufCMessage *m, size_t offset)
{
    return (const uint8_t *)m + offset;
}

/* Returns the number of elements of FIELD in M and sets *FIRST to the first of them. */
static size_t elements(const ProtobufCMessage *m, const ProtobufCFieldDescriptor *field, const void **first)
{
    *first = at(m, field->offset);
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return 1;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        size_t n;
        memcpy(&n, at(m, field->quantifier_offset), sizeof n);
        memcpy(first, at(m, field->offset), sizeof *first);
        return n;
    }
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        int which;
        memcpy(&which, at(m, field->quantifier_offset), sizeof which);
        return which == (int)field->id;
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING) {
        const void *p;
        memcpy(&p, *first, sizeof p);
        return p != NULL;
    }
    protobuf_c_boolean has;
    memcpy(&has, at(m, field->quantifier_offset), sizeof has);
    return has ? 1 : 0;
}

static size_t width(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE: return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
    default: return 4;
    }
}

static void put_enum(struct tm_out *out, const ProtobufCFieldDescriptor *field, int value, bool json)
{
    const ProtobufCEnumValue *v = protobuf_c_enum_descriptor_get_value(field->descriptor, value);
    if (v == NULL)
        tm_out_i64(out, value);
    else if (json)
        tm_out_json_str(out, v->name);
    else
        tm_out_str(out, v->name);
}

static void put_integer(struct tm_out *out, const ProtobufCFieldDescriptor *field, const void *p, bool json)
{
    uint64_t v8;
    uint32_t v4;
    protobuf_c_boolean yes;
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        memcpy(&v8, p, sizeof v8);
        tm_out_i64(out, (int64_t)v8);
        return;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        memcpy(&v8, p, sizeof v8);
        tm_out_u64(out, v8);
        return;
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(&yes, p, sizeof yes);
        tm_out_str(out, yes ? "true" : "false");
        return;
    default:
        memcpy(&v4, p, sizeof v4);
        if (field->type == PROTOBUF_C_TYPE_ENUM)
            put_enum(out, field, (int)v4, json);
        else if (field->type == PROTOBUF_C_TYPE_UINT32 || field->type == PROTOBUF_C_TYPE_FIXED32)
            tm_out_u64(out, v4);
        else
            tm_out_i64(out, (int32_t)v4);
    }
}

/* Puts one element; the caller handles messages. */
static void put_value(struct tm_out *out, const ProtobufCFieldDescriptor *field, const void *p, bool json)
{
    ProtobufCBinaryData bytes;
    uint64_t bits;
    switch (field->type) {
    case PROTOBUF_C_TYPE_BYTES:
        memcpy(&bytes, p, sizeof bytes);
        (json ? tm_out_json : tm_out_quoted)(out, tm_text_of(bytes));
        return;
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(&bits, p, sizeof bits);
        (json ? tm_out_json_double : tm_out_double)(out, bits);
        return;
    default: put_integer(out, field, p, json);
    }
}

static const ProtobufCMessage *message_at(const void *p)
{
    const ProtobufCMessage *inner;
    memcpy(&inner, p, sizeof inner);
    return inner;
}

void tm_message_text(struct tm_out *out, const ProtobufCMessage *m)
{
    for (unsigned f = 0; f < m->descriptor->n_fields; f++) {
        const ProtobufCFieldDescriptor *field = &m->descriptor->fields[f];
        const void *first;
        size_t n = elements(m, field, &first);
        for (size_t i = 0; i < n; i++) {
            const void *p = (const uint8_t *)first + i * width(field);
            tm_out_char(out, ' ');
            tm_out_str(out, field->name);
            if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
                tm_out_str(out, "={");
                tm_message_text(out, message_at(p));
                tm_out_str(out, " }");
            } else {
                tm_out_char(out, '=');
                put_value(out, field, p, false);
            }
        }
    }
}

void tm_message_json_members(struct tm_out *out, const ProtobufCMessage *m, bool comma)
{
    for (unsigned f = 0; f < m->descriptor->n_fields; f++) {
        const ProtobufCFieldDescriptor *field = &m->descriptor->fields[f];
        const void *first;
        size_t n = elements(m, field, &first);
        if (n == 0)
            continue;
        if (comma)
            tm_out_char(out, ',');
        comma = true;
        tm_out_json_str(out, field->name);
        tm_out_str(out, field->label == PROTOBUF_C_LABEL_REPEATED ? ":[" : ":");
        for (size_t i = 0; i < n; i++) {
            const void *p = (const uint8_t *)first + i * width(field);
            if (i > 0)
                tm_out_char(out, ',');
            if (field->type == PROTOBUF_C_TYPE_MESSAGE)
                tm_message_json(out, message_at(p));
            else
                put_value(out, field, p, true);
        }
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            tm_out_char(out, ']');
    }
}

void tm_message_json(struct tm_out *out, const ProtobufCMessage *message)
{
    tm_out_char(out, '{');
    tm_message_json_members(out, message, false);
    tm_out_char(out, '}');
}
