/* A growable run of bytes. Zero-initialise; release frees it and leaves it empty and usable. Calls that add bytes
 * return TM_OK, or TM_E_SYSTEM with the buffer unchanged. */
#ifndef TM_BASE_BUF_H
#define TM_BASE_BUF_H

#include "base/cpu.h"
#include "base/status.h"

#include <stdint.h>
#include <string.h>

struct tm_buf {
    uint8_t *data; /* owned */
    size_t len;    /* bytes in use */
    size_t cap;    /* bytes allocated */
};

/* The slow path of tm_buf_reserve, if there is no room yet. */
enum tm_status tm_buf_grow(struct tm_buf *buf, size_t more);

/* Makes room for MORE bytes past len. */
static inline enum tm_status tm_buf_reserve(struct tm_buf *buf, size_t more)
{
    return more <= buf->cap - buf->len ? TM_OK : tm_buf_grow(buf, more);
}

/* Makes room as tm_buf_reserve does, in memory that another thread has used: about LEN bytes are written next. */
static inline enum tm_status tm_buf_reserve_ahead(struct tm_buf *buf, size_t more, size_t len)
{
    enum tm_status st = tm_buf_reserve(buf, more);
    tm_cpu_write_ahead(buf->data + buf->len, len);
    return st;
}

/* Appends LEN bytes. */
enum tm_status tm_buf_add(struct tm_buf *buf, const void *data, size_t len);

/* Appends one byte. */
enum tm_status tm_buf_add_byte(struct tm_buf *buf, uint8_t byte);

/* Appends a C string without its NUL. */
enum tm_status tm_buf_add_str(struct tm_buf *buf, const char *s);

/* Appends formatted text, without a NUL. */
enum tm_status tm_buf_addf(struct tm_buf *buf, const char *format, ...) TM_PRINTF(2, 3);

/* Append VALUE in decimal or hexadecimal digits, with zeros in front up to LEAST digits (at most TM_BUF_DIGITS_MAX). */
enum { TM_BUF_DIGITS_MAX = 20 };
enum tm_status tm_buf_add_decimal(struct tm_buf *buf, uint64_t value, unsigned least);
enum tm_status tm_buf_add_hex(struct tm_buf *buf, uint64_t value, unsigned least);

/* Puts a NUL after the data, not counted in len. Returns data as text, or NULL if out of memory. Valid until the next
 * call that adds. */
const char *tm_buf_cstr(struct tm_buf *buf);

/* Removes the first N bytes (at most len). */
void tm_buf_consume(struct tm_buf *buf, size_t n);

static inline void tm_buf_clear(struct tm_buf *buf)
{
    buf->len = 0;
}

void tm_buf_release(struct tm_buf *buf);

#endif
