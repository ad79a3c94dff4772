#include "stream/detail_arg.h"

#include "base/pb.h"

#include <string.h>

/* Makes room for an Arg with KEY_LEN bytes of key and VALUE_BYTES for the value field. Writes everything before the
 * value. */
static uint8_t *begin(struct tm_buf *detail, const void *key, size_t key_len, size_t value_bytes)
{
    size_t body = 1 + tm_varint_size(key_len) + key_len + value_bytes;
    if (tm_buf_reserve(detail, 1 + TM_VARINT_MAX + body) != TM_OK)
        return NULL;
    uint8_t *at = detail->data + detail->len;
    *at++ = TM_DETAIL_ARGS << 3 | TM_PB_LEN;
    at = tm_varint_put(at, body);
    *at++ = TM_ARG_KEY << 3 | TM_PB_LEN;
    at = tm_varint_put(at, key_len);
    if (key_len)
        memcpy(at, key, key_len);
    return at + key_len;
}

static enum tm_status put_number(struct tm_buf *detail, const void *key, size_t key_len, enum tm_arg type,
                                 uint64_t value)
{
    bool fixed = type == TM_ARG_DOUBLE;
    if (type == TM_ARG_INT)
        value = tm_zigzag((int64_t)value);
    uint8_t *at = begin(detail, key, key_len, 1 + (fixed ? 8 : tm_varint_size(value)));
    if (at == NULL)
        return TM_E_SYSTEM;
    *at++ = (uint8_t)((unsigned)type << 3 | (fixed ? TM_PB_I64 : TM_PB_VARINT));
    if (fixed)
        tm_put_le64(at, value), at += 8;
    else
        at = tm_varint_put(at, value);
    detail->len = (size_t)(at - detail->data);
    return TM_OK;
}

static enum tm_status put_bytes(struct tm_buf *detail, const void *key, size_t key_len, enum tm_arg type,
                                struct tm_pb_field value)
{
    uint8_t *at = begin(detail, key, key_len, 1 + tm_varint_size(value.len) + value.len);
    if (at == NULL)
        return TM_E_SYSTEM;
    *at++ = (uint8_t)((unsigned)type << 3 | TM_PB_LEN);
    at = tm_varint_put(at, value.len);
    if (value.len)
        memcpy(at, value.data, value.len);
    detail->len = (size_t)(at + value.len - detail->data);
    return TM_OK;
}

enum tm_status tm_detail_arg_number(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, uint64_t value)
{
    return put_number(detail, key->data, key->len, type, value);
}

enum tm_status tm_detail_arg_bytes(struct tm_buf *detail, const struct tm_buf *key, enum tm_arg type, const void *data,
                                   size_t len)
{
    return put_bytes(detail, key->data, key->len, type, (struct tm_pb_field){.data = data, .len = len});
}

enum tm_status tm_detail_arg_int(struct tm_buf *detail, const char *key, int64_t value)
{
    return put_number(detail, key, strlen(key), TM_ARG_INT, (uint64_t)value);
}

enum tm_status tm_detail_arg_uint(struct tm_buf *detail, const char *key, uint64_t value)
{
    return put_number(detail, key, strlen(key), TM_ARG_UINT, value);
}

enum tm_status tm_detail_arg_null(struct tm_buf *detail, const char *key)
{
    return put_number(detail, key, strlen(key), TM_ARG_NULL, 1);
}

enum tm_status tm_detail_arg_bool(struct tm_buf *detail, const char *key, bool value)
{
    return put_number(detail, key, strlen(key), TM_ARG_BOOL, value);
}

enum tm_status tm_detail_arg_text(struct tm_buf *detail, const char *key, const void *data, size_t len)
{
    return put_bytes(detail, key, strlen(key), TM_ARG_STRING, (struct tm_pb_field){.data = data, .len = len});
}
