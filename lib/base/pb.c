#include "base/pb.h"

static enum tm_status put_tag(struct tm_buf *buf, uint32_t id, enum tm_pb_type type, size_t more)
{
    if (tm_buf_reserve(buf, 2 * TM_VARINT_MAX + more) != TM_OK)
        return TM_E_SYSTEM;
    buf->len = (size_t)(tm_varint_put(buf->data + buf->len, (uint64_t)id << 3 | type) - buf->data);
    return TM_OK;
}

enum tm_status tm_pb_put_varint(struct tm_buf *buf, uint32_t id, uint64_t value)
{
    if (put_tag(buf, id, TM_PB_VARINT, 0) != TM_OK)
        return TM_E_SYSTEM;
    buf->len = (size_t)(tm_varint_put(buf->data + buf->len, value) - buf->data);
    return TM_OK;
}

enum tm_status tm_pb_put_i64(struct tm_buf *buf, uint32_t id, uint64_t value)
{
    if (put_tag(buf, id, TM_PB_I64, 8) != TM_OK)
        return TM_E_SYSTEM;
    tm_put_le64(buf->data + buf->len, value);
    buf->len += 8;
    return TM_OK;
}

enum tm_status tm_pb_put_i32(struct tm_buf *buf, uint32_t id, uint32_t value)
{
    if (put_tag(buf, id, TM_PB_I32, 4) != TM_OK)
        return TM_E_SYSTEM;
    tm_put_le32(buf->data + buf->len, value);
    buf->len += 4;
    return TM_OK;
}

enum tm_status tm_pb_put_bytes(struct tm_buf *buf, uint32_t id, const void *data, size_t len)
{
    if (put_tag(buf, id, TM_PB_LEN, len) != TM_OK)
        return TM_E_SYSTEM;
    buf->len = (size_t)(tm_varint_put(buf->data + buf->len, len) - buf->data);
    return tm_buf_add(buf, data, len);
}

enum tm_status tm_pb_put_str(struct tm_buf *buf, uint32_t id, const char *s)
{
    return tm_pb_put_bytes(buf, id, s, strlen(s));
}

enum tm_status tm_pb_begin(struct tm_buf *buf, uint32_t id, size_t *mark)
{
    if (put_tag(buf, id, TM_PB_LEN, 1) != TM_OK)
        return TM_E_SYSTEM;
    *mark = buf->len;
    buf->data[buf->len++] = 0;
    return TM_OK;
}

enum tm_status tm_pb_end(struct tm_buf *buf, size_t mark)
{
    size_t len = buf->len - mark - 1;
    size_t n = tm_varint_size(len);
    if (tm_buf_reserve(buf, n) != TM_OK)
        return TM_E_SYSTEM;
    if (n > 1)
        memmove(buf->data + mark + n, buf->data + mark + 1, len);
    tm_varint_put(buf->data + mark, len);
    buf->len += n - 1;
    return TM_OK;
}
