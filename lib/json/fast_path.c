#include "json/fast_path.h"

/* Returns the byte after the scalar at P if it is a string without escapes or a number without an exponent; otherwise
 * NULL. */
static inline const uint8_t *plain_scalar(const uint8_t *p, const uint8_t *end)
{
    bool non_ascii = false; /* not used */
    if (*p == '"') {
        p = tm_json_special(p + 1, end, &non_ascii);
        return p < end && *p == '"' ? p + 1 : NULL;
    }
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
