#include "format/xspace/message.h"

enum tm_status tm_xspace_message_open(struct tm_xspace_message *message, const struct tm_extent *file, uint64_t at,
                                      uint64_t len, struct tm_error *err)
{
    struct tm_extent part = *file;
    part.start += at;
    part.len = len;
    *message = (struct tm_xspace_message){.byte = at, .len = len};
    return tm_extent_open(&part, &message->in, err);
}

static enum tm_status no_field(const struct tm_xspace_field *field, const char *cause, struct tm_error *err)
{
    return tm_error_at(err, field->byte, "%s", cause);
}

/* Consumes a varint from the window. */
static bool take_varint(struct tm_input *in, uint64_t *value)
{
    const uint8_t *end = tm_varint_get(in->data, in->data + in->len, value);
    if (end)
        tm_input_skip(in, (size_t)(end - in->data));
    return end != NULL;
}

/* Consumes the value of a field that is not length-delimited. */
static bool take_number(struct tm_input *in, struct tm_xspace_field *field)
{
    size_t size = field->type == TM_PB_I64 ? 8 : 4;
    if (field->type == TM_PB_VARINT)
        return take_varint(in, &field->value);
    if (in->len < size || (field->type != TM_PB_I64 && field->type != TM_PB_I32))
        return false;
    field->value = size == 8 ? tm_get_le64(in->data) : tm_get_le32(in->data);
    tm_input_skip(in, size);
    return true;
}

enum tm_status tm_xspace_message_next(struct tm_xspace_message *message, struct tm_xspace_field *field,
                                      struct tm_error *err)
{
    struct tm_input *in = &message->in;
    uint64_t tag;
    enum tm_status st = tm_input_advance(in, message->unread, err);
    message->unread = 0;
    if (st == TM_OK)
        st = tm_input_fill(in, 2 * TM_VARINT_MAX, err);
    if (st < 0)
        return st;
    if (in->len == 0)
        return TM_END;
    *field = (struct tm_xspace_field){.byte = message->byte + in->offset};
    if (!take_varint(in, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return no_field(field, "damaged, or cut short", err);
    field->id = (uint32_t)(tag >> 3);
    field->type = (enum tm_pb_type)(tag & 7);
    if (field->type != TM_PB_LEN)
        return take_number(in, field) ? TM_OK : no_field(field, "a damaged number", err);
    if (!take_varint(in, &field->len))
        return no_field(field, "a damaged length", err);
    field->at = message->byte + in->offset;
    if (field->len > message->len - in->offset) {
        field->missing = field->len - (message->len - in->offset);
        field->len -= field->missing;
    }
    message->unread = field->len;
    return TM_OK;
}

enum tm_status tm_xspace_message_bytes(struct tm_xspace_message *message, const struct tm_xspace_field *field,
                                       size_t max, struct tm_text *bytes, struct tm_error *err)
{
    size_t len = field->len < max ? (size_t)field->len : max;
    enum tm_status st = tm_input_fill(&message->in, len, err);
    *bytes = (struct tm_text){message->in.data, len};
    return st == TM_END ? tm_error_set(err, TM_E_INPUT, "the file became shorter while it was read") : st;
}

uint64_t tm_xspace_message_left(const struct tm_xspace_message *message)
{
    return message->len - message->in.offset - message->unread;
}

void tm_xspace_message_close(struct tm_xspace_message *message)
{
    tm_input_release(&message->in);
    *message = (struct tm_xspace_message){0};
}
