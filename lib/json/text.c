#include "json/scan.h"
#include "base/utf8.h"
#include "json/unicode.h"

/* Returns the character that backslash and C mean. C is not u. */
static uint8_t unescaped(uint8_t c)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *at = strchr(from, c);
    return at ? (uint8_t)to[at - from] : c;
}

enum tm_status tm_json_unescape(const struct tm_json_value *string, struct tm_buf *out)
{
    const uint8_t *p = string->data, *end = p + string->len;
    if (tm_buf_reserve(out, string->len) != TM_OK) /* no escape is shorter than what it stands for */
        return TM_E_SYSTEM;
    while (p < end) {
        const uint8_t *slash = memchr(p, '\\', (size_t)(end - p));
        size_t plain = (size_t)((slash ? slash : end) - p);
        memcpy(out->data + out->len, p, plain);
        out->len += plain;
        if (slash == NULL)
            break;
        p = slash;
        if (p[1] == 'u') {
            uint32_t cp;
            p = tm_json_decode_u(p, end, &cp);
            out->len += tm_utf8_encode(cp, out->data + out->len);
            continue;
        }
        out->data[out->len++] = unescaped(p[1]);
        p += 2;
    }
    return TM_OK;
}

size_t tm_json_resolve(const struct tm_json_value *key, uint8_t *out, size_t size)
{
    const uint8_t *p = key->data, *end = p + key->len;
    size_t len = 0;
    while (p < end && len <= size) {
        uint8_t bytes[4] = {*p};
        size_t n = 1;
        if (*p != '\\') {
            p++;
        } else if (p[1] == 'u') {
            uint32_t cp;
            p = tm_json_decode_u(p, end, &cp);
            n = tm_utf8_encode(cp, bytes);
        } else {
            bytes[0] = unescaped(p[1]);
            p += 2;
        }
        if (n > size - len)
            return size + 1;
        memcpy(out + len, bytes, n);
        len += n;
    }
    return len;
}

bool tm_json_is_escaped(const struct tm_json_value *key, const char *text, size_t len)
{
    uint8_t name[64];
    return len <= sizeof name && tm_json_resolve(key, name, sizeof name) == len && memcmp(name, text, len) == 0;
}

bool tm_json_text(const struct tm_json_value *string, struct tm_buf *scratch, const uint8_t **data, size_t *len)
{
    *data = string->data;
    *len = string->len;
    if (!string->escaped)
        return true;
    tm_buf_clear(scratch);
    if (tm_json_unescape(string, scratch) != TM_OK)
        return false;
    *data = scratch->data;
    *len = scratch->len;
    return true;
}

/* True for U+0080 to U+009F, which terminals obey too. */
static bool is_c1(const uint8_t *p, const uint8_t *end)
{
    return end - p > 1 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;
}

/* Returns the first character that must be escaped, or END. */
static const uint8_t *plain_end(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p >= 0x20 && *p != '"' && *p != '\\' && *p != 0x7f && !is_c1(p, end))
        p++;
    return p;
}

enum tm_status tm_json_put_escape(struct tm_buf *out, uint8_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = c ? strchr(from, c) : NULL;
    char text[2] = {'\\', at ? to[at - from] : 'u'};
    return at ? tm_buf_add(out, text, 2) : tm_buf_addf(out, "\\u%04x", c);
}

enum tm_status tm_json_put_string(struct tm_buf *out, const void *s, size_t len)
{
    const uint8_t *p = s, *end = p + len;
    enum tm_status st = tm_buf_add_byte(out, '"');
    while (st == TM_OK && p < end) {
        const uint8_t *stop = plain_end(p, end);
        while (st == TM_OK && p < stop) {
            size_t n = 0;
            const uint8_t *run = p;
            while (p < stop && (n = tm_utf8_length(p, (size_t)(stop - p))) > 0)
                p += n;
            st = tm_buf_add(out, run, (size_t)(p - run));
            if (p < stop && st == TM_OK) {
                st = tm_buf_add(out, "\xef\xbf\xbd", 3);
                p++;
            }
        }
        if (p < end && st == TM_OK) {
            p += is_c1(p, end);
            st = tm_json_put_escape(out, *p++);
        }
    }
    return st == TM_OK ? tm_buf_add_byte(out, '"') : st;
}
