#include "json/fast_path.h"

/* Returns the byte after the string at P. NULL if a control character or a \u escape is in it, or if it does not end.
 */
static inline const uint8_t *plain_string(const uint8_t *p, const uint8_t *end)
{
    bool non_ascii = false; /* not used */
    for (p++;; p += 2) {
        p = tm_json_special(p, end, &non_ascii);
        if (p == end)
            return NULL;
        if (*p == '"')
            return p + 1;
        if (*p != '\\' || end - p < 2 || !tm_json_is_short_escape(p[1]))
            return NULL;
    }
}

/* Returns the byte after the word at P: true, false or null. NULL for other words. */
static inline const uint8_t *plain_word(const uint8_t *p, const uint8_t *end)
{
    if (end - p >= 5 && memcmp(p, "false", 5) == 0)
        return p + 5;
    return end - p >= 4 && (memcmp(p, "true", 4) == 0 || memcmp(p, "null", 4) == 0) ? p + 4 : NULL;
}

/* Returns the byte after the scalar at P. NULL if it is a number with an exponent, or anything that plain_string or
 * plain_word does not read. */
static inline const uint8_t *plain_scalar(const uint8_t *p, const uint8_t *end)
{
    if (*p == '"')
        return plain_string(p, end);
    if (*p >= 'a')
        return plain_word(p, end);
    p += *p == '-';
    if (p == end || !tm_json_is_digit(*p) || (*p == '0' && end - p > 1 && tm_json_is_digit(p[1])))
        return NULL;
    p = tm_json_skip_digits(p, end);
    if (p < end && *p == '.') {
        const uint8_t *digits = ++p;
        if ((p = tm_json_skip_digits(p, end)) == digits)
            return NULL;
    }
    return p < end && *p != 'e' && *p != 'E' ? p : NULL;
}

const uint8_t *tm_json_fast_container(const uint8_t *p, const uint8_t *end)
{
    struct tm_json_value key;
    uint64_t objects = 0; /* bit 0: the innermost is an object */
    for (unsigned depth = 0;;) {
        /* P is at a value. */
        bool opens = *p == '{' || *p == '[';
        if (opens) {
            if (++depth > 64)
                return NULL;
            objects = objects << 1 | (*p == '{');
            p = tm_json_skip_space(p + 1, end);
        } else if ((p = plain_scalar(p, end)) != NULL) {
            p = tm_json_skip_space(p, end);
        }
        while (p && p < end && *p == (objects & 1 ? '}' : ']')) {
            objects >>= 1;
            if (--depth == 0)
                return p + 1;
            opens = false;
            p = tm_json_skip_space(p + 1, end);
        }
        if (p == NULL || p == end || (!opens && *p++ != ','))
            return NULL;
        p = objects & 1 ? tm_json_fast_key(p, end, &key) : tm_json_skip_space(p, end);
        if (p == NULL || p == end || *p == ']')
            return NULL;
    }
}
