#include "json/fast_path.h"

#include "base/hex.h"

enum { LOST_BLOCK = 512 }; /* the smallest block of a disk */

/* Returns the byte after the escape at P, or NULL with *STATUS set. */
static const uint8_t *skip_escape(struct tm_json_scan *scan, const uint8_t *p, enum tm_json_status *status)
{
    *status = TM_JSON_MORE;
    if (scan->end - p < 2)
        return NULL;
    if (p[1] != 'u') {
        if (tm_json_is_short_escape(p[1]))
            return p + 2;
        *status = tm_json_bad(scan, p, "bad escape in a string");
        return NULL;
    }
    for (int i = 2; i < 6; i++) {
        if (scan->end - p <= i)
            return NULL;
        if (tm_hex_value(p[i]) < 0) {
            *status = tm_json_bad(scan, p, "bad \\u escape in a string");
            return NULL;
        }
    }
    return p + 6;
}

/* True if LOST_BLOCK zeros are at P: a file system leaves them in place of data that it lost. */
static bool is_lost_block(const uint8_t *p, const uint8_t *end)
{
    size_t n = 0;
    while (n < LOST_BLOCK && p + n < end && p[n] == 0)
        n++;
    return n == LOST_BLOCK;
}

static inline enum tm_json_status scan_string(struct tm_json_scan *scan, struct tm_json_value *value)
{
    const uint8_t *p = scan->p + 1;
    enum tm_json_status status;
    value->type = TM_JSON_STRING;
    value->data = p;
    value->escaped = false;
    value->non_ascii = false;
    for (;;) {
        p = tm_json_special(p, scan->end, &value->non_ascii);
        if (p == scan->end)
            return TM_JSON_MORE;
        if (*p == '"')
            break;
        if (*p != '\\') {
            bool is_lost = is_lost_block(p, scan->end);
            (void)tm_json_bad(scan, p, is_lost ? "a block of zeros in a string" : "control character in a string");
            scan->is_repairable = !is_lost;
            return TM_JSON_BAD;
        }
        value->escaped = true;
        if ((p = skip_escape(scan, p, &status)) == NULL)
            return status;
    }
    value->len = (size_t)(p - value->data);
    scan->p = p + 1;
    return TM_JSON_OK;
}

enum tm_json_status tm_json_string(struct tm_json_scan *scan, struct tm_json_value *value)
{
    return scan_string(scan, value);
}

static bool is_word(uint8_t c)
{
    return tm_json_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Reads true, false, null, and the words for numbers that are not finite. */
static enum tm_json_status scan_word(struct tm_json_scan *scan, struct tm_json_value *value)
{
    static const struct {
        const char *word;
        enum tm_json_type type;
    } words[] = {{"true", TM_JSON_TRUE},        {"false", TM_JSON_FALSE},         {"null", TM_JSON_NULL},
                 {"NaN", TM_JSON_NOT_FINITE},   {"nan", TM_JSON_NOT_FINITE},      {"Infinity", TM_JSON_NOT_FINITE},
                 {"inf", TM_JSON_NOT_FINITE},   {"-Infinity", TM_JSON_NOT_FINITE}, {"-inf", TM_JSON_NOT_FINITE},
                 {"-nan", TM_JSON_NOT_FINITE}, {"-NaN", TM_JSON_NOT_FINITE}};
    const uint8_t *p = scan->p;
    p += *p == '-';
    while (p < scan->end && is_word(*p) && p - scan->p < 16)
        p++;
    size_t len = (size_t)(p - scan->p);
    if (p == scan->end && !scan->ended)
        return TM_JSON_MORE;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) != len || memcmp(scan->p, words[i].word, len) != 0)
            continue;
        *value = (struct tm_json_value){.data = scan->p, .len = len, .type = words[i].type};
        scan->p = p;
        return TM_JSON_OK;
    }
    return p == scan->end ? TM_JSON_MORE : tm_json_bad(scan, scan->p, "a value is expected");
}

static enum tm_json_status scan_number(struct tm_json_scan *scan, struct tm_json_value *value)
{
    const uint8_t *p = scan->p, *end = scan->end, *start = p;
    p += *p == '-';
    if (p < end && *p == '0' && end - p > 1 && tm_json_is_digit(p[1]))
        return tm_json_bad(scan, p, "a number with a leading zero");
    const uint8_t *digits = p;
    p = tm_json_skip_digits(p, end);
    if (p == digits && p < end)
        return scan_word(scan, value);
    if (p < end && *p == '.') {
        digits = ++p;
        p = tm_json_skip_digits(p, end);
        if (p == digits && p < end)
            return tm_json_bad(scan, p, "a number without digits after its decimal point");
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        digits = p;
        p = tm_json_skip_digits(p, end);
        if (p == digits && p < end)
            return tm_json_bad(scan, p, "a number without digits in its exponent");
    }
    if (p == end && (!scan->ended || !tm_json_is_digit(p[-1])))
        return TM_JSON_MORE;
    *value = (struct tm_json_value){.data = start, .len = (size_t)(p - start), .type = TM_JSON_NUMBER};
    scan->p = p;
    return TM_JSON_OK;
}

static inline enum tm_json_status scan_scalar(struct tm_json_scan *scan, struct tm_json_value *value)
{
    uint8_t c = *scan->p;
    if (c == '"')
        return scan_string(scan, value);
    if (tm_json_is_digit(c) || c == '-')
        return scan_number(scan, value);
    return scan_word(scan, value);
}

static inline enum tm_json_status scan_comma(struct tm_json_scan *scan, uint8_t closer)
{
    if (!tm_json_space(scan))
        return TM_JSON_MORE;
    if (*scan->p == ',')
        scan->p++;
    else if (*scan->p != closer)
        return tm_json_bad(scan, scan->p, closer == '}' ? "a ',' or '}' is expected" : "a ',' or ']' is expected");
    return TM_JSON_OK;
}

static inline enum tm_json_status scan_key(struct tm_json_scan *scan, struct tm_json_value *key)
{
    enum tm_json_status st;
    const uint8_t *plain = tm_json_fast_key(scan->p, scan->end, key);
    if (plain) {
        scan->p = plain;
        return TM_JSON_OK;
    }
    if (!tm_json_space(scan))
        return TM_JSON_MORE;
    if (*scan->p == '}') {
        scan->p++;
        return TM_JSON_CLOSE;
    }
    if (*scan->p != '"')
        return tm_json_bad(scan, scan->p, "expected a key in quotes");
    if ((st = scan_string(scan, key)) != TM_JSON_OK)
        return st;
    if (!tm_json_space(scan))
        return TM_JSON_MORE;
    if (*scan->p != ':')
        return tm_json_bad(scan, scan->p, "a ':' is expected");
    scan->p++;
    return tm_json_space(scan) ? TM_JSON_OK : TM_JSON_MORE;
}

/* The open brackets: their number, and a bit for each, which is set if the bracket is that of an object. */
struct nesting {
    uint32_t depth;
    uint64_t object[TM_JSON_DEPTH_MAX / 64];
};

static enum tm_json_status push(struct tm_json_scan *scan, struct nesting *n, bool object)
{
    if (n->depth == TM_JSON_DEPTH_MAX)
        return tm_json_bad(scan, scan->p, "nesting is too deep");
    uint64_t bit = UINT64_C(1) << (n->depth & 63);
    uint64_t *word = &n->object[n->depth >> 6];
    if ((n->depth & 63) == 0)
        *word = 0;
    *word = object ? *word | bit : *word & ~bit;
    n->depth++;
    scan->p++;
    return TM_JSON_OK;
}

static bool in_object(const struct nesting *n)
{
    return n->object[(n->depth - 1) >> 6] >> ((n->depth - 1) & 63) & 1;
}

/* After a value inside the container: skips commas and closing brackets, up to the next member or element or the end of
 * the container. */
static enum tm_json_status scan_after(struct tm_json_scan *scan, struct nesting *n)
{
    while (n->depth) {
        uint8_t closer = in_object(n) ? '}' : ']';
        enum tm_json_status st = scan_comma(scan, closer);
        if (st != TM_JSON_OK)
            return st;
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if (*scan->p != closer)
            return TM_JSON_OK;
        scan->p++;
        n->depth--;
    }
    return TM_JSON_OK;
}

/* Reads an object or array to its end. */
static enum tm_json_status scan_container(struct tm_json_scan *scan, struct tm_json_value *value)
{
    struct nesting n;
    struct tm_json_value inner;
    enum tm_json_status st;
    const uint8_t *start = scan->p, *plain = tm_json_fast_container(start, scan->end);
    enum tm_json_type type = *start == '{' ? TM_JSON_OBJECT : TM_JSON_ARRAY;
    if (plain) {
        *value = (struct tm_json_value){.data = start, .len = (size_t)(plain - start), .type = type};
        scan->p = plain;
        return TM_JSON_OK;
    }
    n.depth = 0;
    if ((st = push(scan, &n, type == TM_JSON_OBJECT)) != TM_JSON_OK)
        return st;
    while (n.depth) {
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if (*scan->p == (in_object(&n) ? '}' : ']')) {
            scan->p++;
            n.depth--;
            if ((st = scan_after(scan, &n)) != TM_JSON_OK)
                return st;
            continue;
        }
        if (in_object(&n) && (st = scan_key(scan, &inner)) != TM_JSON_OK)
            return st;
        if (*scan->p == '{' || *scan->p == '[') {
            if ((st = push(scan, &n, *scan->p == '{')) != TM_JSON_OK)
                return st;
            continue;
        }
        if ((st = scan_scalar(scan, &inner)) != TM_JSON_OK || (st = scan_after(scan, &n)) != TM_JSON_OK)
            return st;
    }
    *value = (struct tm_json_value){.data = start, .len = (size_t)(scan->p - start), .type = type};
    return TM_JSON_OK;
}

enum tm_json_status tm_json_value(struct tm_json_scan *scan, struct tm_json_value *value)
{
    if (*scan->p == '{' || *scan->p == '[')
        return scan_container(scan, value);
    return scan_scalar(scan, value);
}

enum tm_json_status tm_json_key(struct tm_json_scan *scan, struct tm_json_value *key)
{
    return scan_key(scan, key);
}

enum tm_json_status tm_json_comma(struct tm_json_scan *scan, uint8_t closer)
{
    return scan_comma(scan, closer);
}

enum tm_json_status tm_json_member(struct tm_json_scan *scan, struct tm_json_value *key, struct tm_json_value *value)
{
    enum tm_json_status st = tm_json_key(scan, key);
    if (st != TM_JSON_OK || (st = tm_json_value(scan, value)) != TM_JSON_OK)
        return st;
    return tm_json_comma(scan, '}');
}

bool tm_json_find(const struct tm_json_value *object, const char *name, struct tm_json_value *value)
{
    struct tm_json_value k, v;
    bool found = false;
    if (object->type != TM_JSON_OBJECT)
        return false;
    struct tm_json_scan scan = tm_json_scan_of(object);
    scan.p++;
    while (tm_json_member(&scan, &k, &v) == TM_JSON_OK)
        if (tm_json_is(&k, name)) {
            *value = v;
            found = true;
        }
    return found;
}

enum tm_json_status tm_json_element(struct tm_json_scan *scan, struct tm_json_value *value)
{
    if (!tm_json_space(scan))
        return TM_JSON_MORE;
    if (*scan->p == ']') {
        scan->p++;
        return TM_JSON_CLOSE;
    }
    enum tm_json_status st = tm_json_value(scan, value);
    return st != TM_JSON_OK ? st : tm_json_comma(scan, ']');
}
