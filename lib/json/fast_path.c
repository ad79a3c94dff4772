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

enum { ROOM = 64 /* bytes that are readable where skip_number reads */ };

#if TM_HAS_BYTES16

/* Returns the byte after the number at P, which begins with a digit. NULL for numbers that plain_scalar reads another
 * way, or not at all. ROOM bytes at P are readable. */
static inline const uint8_t *skip_number(const uint8_t *p)
{
    unsigned count = tm_json_count_digits(p);
    if (count == 16 || (*p == '0' && count > 1))
        return NULL;
    p += count;
    if (*p == '.') {
        count = tm_json_count_digits(++p);
        if (count - 1 >= 15)
            return NULL;
        p += count;
    }
    return (*p | 0x20) == 'e' ? NULL : p;
}

#else

static inline const uint8_t *skip_number(const uint8_t *p)
{
    (void)p;
    return NULL;
}

#endif

/* Returns the byte after the scalar at P, or NULL, as plain_scalar. */
static inline const uint8_t *skip_scalar(const uint8_t *p, const uint8_t *end)
{
    if (tm_json_is_digit(*p) && end - p >= ROOM) {
        const uint8_t *after = skip_number(p);
        if (after)
            return after;
    }
    return plain_scalar(p, end);
}

/* Skips white space from P on. Usually there is at most one byte. */
static inline const uint8_t *skip_blank(const uint8_t *p, const uint8_t *end)
{
    if (p < end && *p <= ' ')
        p = tm_json_skip_space(p, end);
    return p;
}

/* Closes the containers whose brackets are at P. OBJECTS has a bit for each open one. Returns the byte after the last
 * of these brackets and the white space after it; at once if no container is open any more. */
static inline const uint8_t *skip_closers(const uint8_t *p, const uint8_t *end, uint64_t *objects, unsigned *depth)
{
    while (p < end && *p == (*objects & 1 ? '}' : ']')) {
        *objects >>= 1;
        p++;
        if (--*depth == 0)
            return p;
        p = skip_blank(p, end);
    }
    return p;
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
            objects = objects << 1 | (*p++ == '{');
        } else if ((p = skip_scalar(p, end)) == NULL) {
            return NULL;
        }
        const uint8_t *last = p = skip_blank(p, end);
        if ((p = skip_closers(p, end, &objects, &depth)) != last && depth == 0)
            return p;
        if (p == end || (!(opens && p == last) && *p++ != ','))
            return NULL;
        p = objects & 1 ? tm_json_fast_key(p, end, &key) : skip_blank(p, end);
        if (p == NULL || p == end || *p == ']')
            return NULL;
    }
}
