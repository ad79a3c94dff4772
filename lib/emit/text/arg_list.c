#include "emit/text/arg_list.h"

#include "base/bytes.h"

/* Layout of an arg: length of key, length of value, whether the value is text; then key and value. */
enum { HEAD_BYTES = 9 };

enum tm_status tm_arg_list_add(struct tm_buf *list, const struct tm_arg_value *arg)
{
    uint8_t head[HEAD_BYTES];
    if (tm_buf_reserve(list, sizeof head + arg->key.len + arg->value.len) < 0)
        return TM_E_SYSTEM;
    tm_put_le32(head, (uint32_t)arg->key.len);
    tm_put_le32(head + 4, (uint32_t)arg->value.len);
    head[8] = arg->is_text;
    (void)tm_buf_add(list, head, sizeof head);
    (void)tm_buf_add(list, arg->key.data, arg->key.len);
    return tm_buf_add(list, arg->value.data, arg->value.len);
}

bool tm_arg_list_next(const uint8_t *list, size_t len, size_t *at, struct tm_arg_value *arg)
{
    if (len - *at < HEAD_BYTES)
        return false;
    const uint8_t *p = list + *at;
    arg->key = (struct tm_text){p + HEAD_BYTES, tm_get_le32(p)};
    arg->value = (struct tm_text){arg->key.data + arg->key.len, tm_get_le32(p + 4)};
    arg->is_text = p[8];
    *at += HEAD_BYTES + arg->key.len + arg->value.len;
    return true;
}
