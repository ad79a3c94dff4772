#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUF_FIRST_BYTES = 256 };

enum tm_status tm_buf_grow(struct tm_buf *buf, size_t more)
{
    if (more > SIZE_MAX / 2 - buf->len)
        return TM_E_SYSTEM;
    size_t cap = buf->cap < BUF_FIRST_BYTES ? BUF_FIRST_BYTES : buf->cap;
    while (cap < buf->len + more)
        cap += cap / 2;
    uint8_t *data = realloc(buf->data, cap);
    if (data == NULL)
        return TM_E_SYSTEM;
    buf->data = data;
    buf->cap = cap;
    return TM_OK;
}

enum tm_status tm_buf_add(struct tm_buf *buf, const void *data, size_t len)
{
    if (len == 0)
        return TM_OK;
    if (tm_buf_reserve(buf, len) != TM_OK)
        return TM_E_SYSTEM;
    memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    return TM_OK;
}

enum tm_status tm_buf_add_byte(struct tm_buf *buf, uint8_t byte)
{
    return tm_buf_add(buf, &byte, 1);
}

enum tm_status tm_buf_add_str(struct tm_buf *buf, const char *s)
{
    return tm_buf_add(buf, s, strlen(s));
}

enum tm_status tm_buf_addf(struct tm_buf *buf, const char *format, ...)
{
    va_list args;
    size_t room = buf->cap - buf->len;
    va_start(args, format);
    int n = vsnprintf(room ? (char *)buf->data + buf->len : NULL, room, format, args);
    va_end(args);
    if (n < 0)
        return TM_E_SYSTEM;
    if ((size_t)n >= room) {
        if (tm_buf_reserve(buf, (size_t)n + 1) != TM_OK)
            return TM_E_SYSTEM;
        va_start(args, format);
        vsnprintf((char *)buf->data + buf->len, (size_t)n + 1, format, args);
        va_end(args);
    }
    buf->len += (size_t)n;
    return TM_OK;
}

static enum tm_status add_digits(struct tm_buf *buf, uint64_t value, unsigned base, unsigned least)
{
    char text[TM_BUF_DIGITS_MAX];
    unsigned at = sizeof text;
    do
        text[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    while (sizeof text - at < least && at > 0)
        text[--at] = '0';
    return tm_buf_add(buf, text + at, sizeof text - at);
}

enum tm_status tm_buf_add_decimal(struct tm_buf *buf, uint64_t value, unsigned least)
{
    return add_digits(buf, value, 10, least);
}

enum tm_status tm_buf_add_hex(struct tm_buf *buf, uint64_t value, unsigned least)
{
    return add_digits(buf, value, 16, least);
}

const char *tm_buf_cstr(struct tm_buf *buf)
{
    if (tm_buf_reserve(buf, 1) != TM_OK)
        return NULL;
    buf->data[buf->len] = '\0';
    return (const char *)buf->data;
}

void tm_buf_consume(struct tm_buf *buf, size_t n)
{
    if (n == 0)
        return;
    memmove(buf->data, buf->data + n, buf->len - n);
    buf->len -= n;
}

void tm_buf_release(struct tm_buf *buf)
{
    free(buf->data);
    *buf = (struct tm_buf){0};
}
