#include "base/status.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_TEXT_MAX = 8192 /* two paths of PATH_MAX */, CAUSE_MAX = 256 };

void tm_text_escape(const char *in, size_t len, char *out, size_t out_size)
{
    static const char hex[] = "0123456789abcdef";
    const uint8_t *s = (const uint8_t *)in;
    size_t o = 0;
    if (out_size == 0)
        return;
    while (len > 0) {
        size_t n = tm_utf8_length(s, len);
        bool plain = n > 0 && !(n == 1 && (s[0] < 0x20 || s[0] == 0x7f)) &&
                     !(n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
        size_t need = plain ? n : 4;
        if (o + need + 4 > out_size) {
            if (o + 4 <= out_size) {
                memcpy(out + o, "...", 3);
                o += 3;
            }
            break;
        }
        if (plain) {
            memcpy(out + o, s, n);
        } else {
            out[o] = '\\';
            out[o + 1] = 'x';
            out[o + 2] = hex[s[0] >> 4];
            out[o + 3] = hex[s[0] & 15];
            n = 1;
        }
        o += need;
        s += n;
        len -= n;
    }
    out[o] = '\0';
}

/* Formats a text into OUT. A text that does not fit is cut in its middle, because the place is at its beginning and the
 * cause at its end. */
TM_PRINTF(3, 0)
static void put_text(char *out, size_t size, const char *format, va_list args)
{
    char whole[WHOLE_TEXT_MAX];
    vsnprintf(whole, sizeof whole, format, args);
    size_t len = strlen(whole), head = size / 2, tail = size - head - sizeof "...";
    if (len < size) {
        memcpy(out, whole, len + 1);
        return;
    }
    memcpy(out, whole, head);
    memcpy(out + head, "...", 3);
    memcpy(out + head + 3, whole + len - tail, tail + 1);
}

static enum tm_status set_escaped(struct tm_error *err, enum tm_status status, const char *text)
{
    err->status = status;
    tm_text_escape(text, strlen(text), err->text, sizeof err->text);
    return status;
}

enum tm_status (tm_error_set)(struct tm_error *err, enum tm_status status, const char *format, ...)
{
    char text[TM_ERROR_TEXT_MAX];
    va_list args;
    if (err == NULL || err->status != TM_OK)
        return status;
    va_start(args, format);
    put_text(text, sizeof text - sizeof "...", format, args); /* the escape leaves room for dots */
    va_end(args);
    return set_escaped(err, status, text);
}

enum tm_status (tm_error_at)(struct tm_error *err, uint64_t byte, const char *format, ...)
{
    char text[TM_ERROR_TEXT_MAX];
    va_list args;
    if (err == NULL || err->status != TM_OK)
        return TM_E_INPUT;
    int n = snprintf(text, sizeof text, "byte %llu: ", (unsigned long long)byte);
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    err->byte = byte;
    return set_escaped(err, TM_E_INPUT, text);
}

/* Records a failure with STATUS: the formatted text, ": " and strerror(ERRNUM). */
TM_PRINTF(4, 0)
static enum tm_status set_errno(struct tm_error *err, enum tm_status status, int errnum, const char *format,
                                va_list args)
{
    char text[TM_ERROR_TEXT_MAX];
    if (err == NULL || err->status != TM_OK)
        return status;
    put_text(text, sizeof text - CAUSE_MAX, format, args);
    size_t len = strlen(text);
    snprintf(text + len, sizeof text - len, ": %s", strerror(errnum));
    return set_escaped(err, status, text);
}

enum tm_status (tm_error_errno)(struct tm_error *err, int errnum, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)set_errno(err, TM_E_SYSTEM, errnum, format, args);
    va_end(args);
    return TM_E_SYSTEM;
}

enum tm_status tm_error_open(struct tm_error *err, int errnum, const char *format, ...)
{
    bool lacks = errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
    enum tm_status status = lacks ? TM_E_SYSTEM : TM_E_INPUT;
    va_list args;
    va_start(args, format);
    (void)set_errno(err, status, errnum, format, args);
    va_end(args);
    return status;
}

enum tm_status tm_error_append(struct tm_error *err, const char *text)
{
    if (err == NULL || err->status == TM_OK)
        return TM_OK;
    size_t have = strlen(err->text), more = strlen(text);
    if (more >= sizeof err->text - have)
        more = sizeof err->text - 1 - have;
    memcpy(err->text + have, text, more);
    err->text[have + more] = '\0';
    return err->status;
}

enum tm_status tm_error_prefix(struct tm_error *err, const char *format, ...)
{
    char text[TM_ERROR_TEXT_MAX / 2]; /* the rest is for the cause */
    char escaped[sizeof text + sizeof "..."];
    va_list args;
    if (err == NULL || err->status == TM_OK)
        return TM_OK;
    va_start(args, format);
    put_text(text, sizeof text, format, args);
    va_end(args);
    tm_text_escape(text, strlen(text), escaped, sizeof escaped);
    size_t n = strlen(escaped);
    size_t have = strlen(err->text);
    if (n + 2 >= sizeof err->text)
        return err->status;
    if (have > sizeof err->text - 1 - n - 2)
        have = sizeof err->text - 1 - n - 2;
    memmove(err->text + n + 2, err->text, have);
    memcpy(err->text, escaped, n);
    memcpy(err->text + n, ": ", 2);
    err->text[n + 2 + have] = '\0';
    return err->status;
}

enum tm_status tm_error_recoverable(struct tm_error *err)
{
    if (err == NULL)
        return TM_OK;
    err->is_recoverable = err->status == TM_E_INPUT;
    return err->status;
}

enum tm_status tm_error_other_type(struct tm_error *err)
{
    if (err == NULL)
        return TM_OK;
    err->is_other_type = err->status == TM_E_INPUT;
    return err->status;
}

enum tm_status (tm_error_cut_stream)(struct tm_error *err, uint64_t byte, const char *cause)
{
    if (err == NULL || err->status < 0)
        return TM_E_INPUT;
    err->is_cut_stream = true;
    return tm_error_at(err, byte, "%s", cause);
}

enum tm_status (tm_error_nomem)(struct tm_error *err)
{
    return tm_error_set(err, TM_E_SYSTEM, "out of memory");
}

int tm_status_exit(enum tm_status status)
{
    return status >= 0 ? 0 : -(int)status;
}
