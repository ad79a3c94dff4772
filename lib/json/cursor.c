#include "json/cursor.h"

#include "base/cpu.h"

#include <string.h>

enum { FIRST_FILL = 4 << 10 };

/* Reports CAUSE at AHEAD bytes after the last byte read. */
static enum tm_status bad(const struct tm_json_cursor *c, size_t at, const char *cause, struct tm_error *err)
{
    return tm_error_at(err, c->in->offset + at, "%s", cause);
}

static enum tm_status cut_short(const struct tm_json_cursor *c, struct tm_error *err)
{
    return tm_error_at(err, c->in->offset + c->in->len, "the document is cut short");
}

static enum tm_status take(struct tm_json_cursor *c, size_t n, struct tm_error *err)
{
    enum tm_status st = c->copy ? tm_paged_file_write(c->copy, c->copied, c->in->data, n, err) : TM_OK;
    c->copied += n;
    tm_input_skip(c->in, n);
    return st;
}

/* Widens the window. */
static enum tm_status more(struct tm_json_cursor *c, struct tm_error *err)
{
    struct tm_input *in = c->in;
    if (in->len > TM_JSON_VALUE_MAX)
        return bad(c, 0, "a value is larger than the limit", err);
    size_t had = in->len, need = had < FIRST_FILL ? FIRST_FILL : had * 2;
    enum tm_status st = tm_input_fill(in, need, err);
    return st < 0 ? st : in->len > had || !in->ended ? TM_OK : cut_short(c, err);
}

/* Moves to the next byte that is not white space. */
static enum tm_status to_token(struct tm_json_cursor *c, struct tm_error *err)
{
    for (;;) {
        struct tm_json_scan scan = tm_json_scan_bytes(c->in->data, c->in->data + c->in->len, c->in->ended);
        bool found = tm_json_space(&scan);
        enum tm_status st = take(c, (size_t)(scan.p - c->in->data), err);
        if (st < 0 || found)
            return st;
        if ((st = tm_input_fill(c->in, 1, err)) != TM_OK)
            return st < 0 ? st : cut_short(c, err);
    }
}

enum tm_status tm_json_cursor_type(struct tm_json_cursor *c, enum tm_json_type *type, struct tm_error *err)
{
    enum tm_status st = to_token(c, err);
    if (st < 0)
        return st;
    switch (c->in->data[0]) {
    case '{':
        *type = TM_JSON_OBJECT;
        break;
    case '[':
        *type = TM_JSON_ARRAY;
        break;
    case '"':
        *type = TM_JSON_STRING;
        break;
    case 't':
        *type = TM_JSON_TRUE;
        break;
    case 'f':
        *type = TM_JSON_FALSE;
        break;
    case 'n':
        *type = TM_JSON_NULL;
        break;
    default:
        *type = TM_JSON_NUMBER;
        break;
    }
    return TM_OK;
}

enum tm_status tm_json_cursor_enter(struct tm_json_cursor *c, struct tm_error *err)
{
    enum tm_status st = to_token(c, err);
    if (st < 0)
        return st;
    if (c->in->data[0] != '{' && c->in->data[0] != '[')
        return bad(c, 0, "'{' or '[' is expected", err);
    c->fresh = true;
    return take(c, 1, err);
}

/* Skips the comma in front of the next member or element. TM_END: skipped CLOSER instead. */
static enum tm_status next(struct tm_json_cursor *c, uint8_t closer, struct tm_error *err)
{
    bool fresh = c->fresh;
    enum tm_status st = to_token(c, err);
    c->fresh = false;
    if (st == TM_OK && !fresh && c->in->data[0] == ',' && (st = take(c, 1, err)) == TM_OK)
        st = to_token(c, err);
    else if (st == TM_OK && !fresh && c->in->data[0] != closer)
        return bad(c, 0, closer == '}' ? "a ',' or '}' is expected" : "a ',' or ']' is expected", err);
    if (st < 0 || c->in->data[0] != closer)
        return st;
    st = take(c, 1, err);
    return st < 0 ? st : TM_END;
}

/* Calls READ at the front of the window, and widens the window until READ finds a whole value. */
static enum tm_status read_whole(struct tm_json_cursor *c,
                                 enum tm_json_status (*read)(struct tm_json_scan *, struct tm_json_value *),
                                 struct tm_json_value *value, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK) {
        struct tm_json_scan scan = tm_json_scan_bytes(c->in->data, c->in->data + c->in->len, c->in->ended);
        enum tm_json_status found = read(&scan, value);
        if (found == TM_JSON_OK)
            return take(c, (size_t)(scan.p - c->in->data), err);
        if (found == TM_JSON_BAD)
            return bad(c, (size_t)(scan.p - c->in->data), scan.cause, err);
        st = more(c, err);
    }
    return st;
}

enum tm_status tm_json_cursor_key(struct tm_json_cursor *c, struct tm_json_value *key, struct tm_error *err)
{
    enum tm_status st = next(c, '}', err);
    return st == TM_OK ? read_whole(c, tm_json_key, key, err) : st;
}

enum tm_status tm_json_cursor_element(struct tm_json_cursor *c, struct tm_error *err)
{
    return next(c, ']', err);
}

enum tm_status tm_json_cursor_value(struct tm_json_cursor *c, struct tm_json_value *value, struct tm_error *err)
{
    enum tm_status st = to_token(c, err);
    return st == TM_OK ? read_whole(c, tm_json_value, value, err) : st;
}

/* The position of tm_json_cursor_skip within a container. */
struct nest {
    uint8_t is_object[TM_JSON_DEPTH_MAX / 8];
    uint32_t depth;
    bool in_string, escaped;
};

static bool top_is_object(const struct nest *n)
{
    return n->is_object[(n->depth - 1) / 8] >> (n->depth - 1) % 8 & 1;
}

#if TM_HAS_BYTES16

/* Returns the next byte from P on that walk acts on: in a string a quote or a backslash, otherwise a quote or a
 * bracket. END if there is none. It may stop before others in the last 15 bytes. */
static inline const uint8_t *next_mark(const uint8_t *p, const uint8_t *end, bool in_string)
{
    for (; end - p >= 16; p += 16) {
        tm_bytes16 x = tm_bytes16_load(p), quotes = tm_bytes16_is(x, '"');
        /* In ASCII '[' and '{', and ']' and '}', differ in one bit. */
        unsigned marks = tm_bytes16_mask(in_string
                                             ? tm_bytes16_or(quotes, tm_bytes16_is(x, '\\'))
                                             : tm_bytes16_or(quotes, tm_bytes16_or(tm_bytes16_is_either_case(x, '{'),
                                                                                   tm_bytes16_is_either_case(x, '}'))));
        if (marks)
            return p + tm_trailing_zeros(marks);
    }
    return p;
}

#else

static inline const uint8_t *next_mark(const uint8_t *p, const uint8_t *end, bool in_string)
{
    (void)end;
    (void)in_string;
    return p;
}

#endif

/* Skips more of the container: the LEN bytes at DATA, of which it used *USED. TM_END: the container has ended. */
static enum tm_status walk(struct nest *n, const uint8_t *data, size_t len, size_t *used, const char **cause)
{
    const uint8_t *p = data, *end = data + len;
    enum tm_status st = TM_OK;
    for (; p < end && st == TM_OK; p++) {
        if (!n->escaped && (p = next_mark(p, end, n->in_string)) == end)
            break;
        if (n->in_string) {
            if (n->escaped)
                n->escaped = false;
            else if (*p == '\\')
                n->escaped = true;
            else if (*p == '"')
                n->in_string = false;
        } else if (*p == '"') {
            n->in_string = true;
        } else if (*p == '{' || *p == '[') {
            if (n->depth == TM_JSON_DEPTH_MAX) {
                *cause = "values are nested too deeply";
                st = TM_E_INPUT;
                break;
            }
            uint8_t bit = (uint8_t)(1 << n->depth % 8), *byte = &n->is_object[n->depth / 8];
            *byte = (uint8_t)(*p == '{' ? *byte | bit : *byte & ~bit);
            n->depth++;
        } else if (*p == '}' || *p == ']') {
            if (top_is_object(n) != (*p == '}')) {
                *cause = *p == '}' ? "a '}' closes a '['" : "a ']' closes a '{'";
                st = TM_E_INPUT;
                break;
            }
            st = --n->depth == 0 ? TM_END : TM_OK;
        }
    }
    *used = (size_t)(p - data);
    return st;
}

enum tm_status tm_json_cursor_skip(struct tm_json_cursor *c, struct tm_error *err)
{
    struct nest nest = {.depth = 0};
    struct tm_json_value value;
    const char *cause = NULL;
    size_t used;
    enum tm_status st = to_token(c, err);
    if (st < 0)
        return st;
    if (c->in->data[0] != '{' && c->in->data[0] != '[')
        return tm_json_cursor_value(c, &value, err);
    for (;;) {
        enum tm_status walked = walk(&nest, c->in->data, c->in->len, &used, &cause);
        if ((st = take(c, used, err)) < 0)
            return st;
        if (walked != TM_OK)
            return walked == TM_END ? TM_OK : bad(c, 0, cause, err);
        if ((st = tm_input_fill(c->in, 1, err)) != TM_OK)
            return st < 0 ? st : cut_short(c, err);
    }
}
