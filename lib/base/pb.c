#include "base/pb.h"

enum tm_status tm_pb_put_i64(struct tm_buf *buf, uint32_t id, uint64_t value)
{
    if (tm_buf_reserve(buf, TM_PB_FIELD_MAX) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_pb_tag_put(buf->data + buf->len, id, TM_PB_I64);
    tm_put_le64(p, value);
    buf->len = (size_t)(p - buf->data) + 8;
    return TM_OK;
}

enum tm_status tm_pb_put_i32(struct tm_buf *buf, uint32_t id, uint32_t value)
{
    if (tm_buf_reserve(buf, TM_PB_FIELD_MAX) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_pb_tag_put(buf->data + buf->len, id, TM_PB_I32);
    tm_put_le32(p, value);
    buf->len = (size_t)(p - buf->data) + 4;
    return TM_OK;
}

enum tm_status tm_pb_put_str(struct tm_buf *buf, uint32_t id, const char *s)
{
    return tm_pb_put_bytes(buf, id, s, strlen(s));
}

enum tm_status tm_pb_begin(struct tm_buf *buf, uint32_t id, size_t *mark)
{
    if (tm_buf_reserve(buf, TM_PB_FIELD_MAX) != TM_OK)
        return TM_E_SYSTEM;
    uint8_t *p = tm_pb_tag_put(buf->data + buf->len, id, TM_PB_LEN);
    *p = 0;
    *mark = (size_t)(p - buf->data);
    buf->len = *mark + 1;
    return TM_OK;
}

enum tm_status tm_pb_end_long(struct tm_buf *buf, size_t mark)
{
    size_t len = buf->len - mark - 1;
    size_t n = tm_varint_size(len);
    if (tm_buf_reserve(buf, n) != TM_OK)
        return TM_E_SYSTEM;
    memmove(buf->data + mark + n, buf->data + mark + 1, len);
    tm_varint_put(buf->data + mark, len);
    buf->len += n - 1;
    return TM_OK;
}
