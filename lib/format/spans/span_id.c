#include "format/spans/span_id.h"

#include "base/hash.h"

enum { SEED_FLOW = 6 };

/* Returns the lower-case form of C; 0 if it is not a hexadecimal digit. */
static char hex_digit(uint8_t c)
{
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))
        return (char)c;
    return c >= 'A' && c <= 'F' ? (char)(c | 0x20) : 0;
}

/* Reads LEN hexadecimal digits at S and pads them with leading zeros to DIGITS. False: S has another form. */
static bool read_hex(struct tm_span_id *id, const uint8_t *s, size_t len, uint32_t digits)
{
    bool says = false;
    if (len > digits)
        return false;
    memset(id->text, '0', digits);
    for (size_t i = 0; i < len; i++) {
        char c = hex_digit(s[i]);
        if (c == 0)
            return false;
        id->text[digits - len + i] = c;
        says = says || c != '0';
    }
    id->len = says ? digits : 0;
    return true;
}

static int base64_digit(uint8_t c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Reads the padded base64 of DIGITS / 2 bytes: 16 bytes are 24 characters, 8 are 12. */
static bool read_base64(struct tm_span_id *id, const uint8_t *s, size_t len, uint32_t digits)
{
    static const char hex[] = "0123456789abcdef";
    const uint32_t bytes = digits / 2;
    uint32_t bits = 0, have = 0, n = 0;
    uint8_t any = 0;
    if (len != (bytes + 2) / 3 * 4 || s[len - 1] != '=')
        return false;
    for (size_t i = 0; i < len && n < digits; i++) {
        int digit = base64_digit(s[i]);
        if (digit < 0)
            return false;
        bits = (bits << 6 | (uint32_t)digit) & 0xffff;
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        uint8_t byte = (uint8_t)(bits >> have);
        id->text[n++] = hex[byte >> 4];
        id->text[n++] = hex[byte & 15];
        any |= byte;
    }
    id->len = any ? digits : 0;
    return true;
}

void tm_span_id_read(struct tm_span_id *id, const struct tm_json_value *value, uint32_t digits)
{
    id->len = 0;
    if (value->data == NULL || value->type != TM_JSON_STRING || value->len == 0 || value->len > TM_SPAN_ID_MAX ||
        read_hex(id, value->data, value->len, digits) || read_base64(id, value->data, value->len, digits))
        return;
    memcpy(id->text, value->data, value->len);
    id->len = (uint32_t)value->len;
}

uint64_t tm_span_id_flow(const struct tm_span_id *trace, const struct tm_span_id *span)
{
    return tm_hash64_seed(span->text, span->len, tm_hash64_seed(trace->text, trace->len, SEED_FLOW));
}
