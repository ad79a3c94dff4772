#include "json/cursor.h"

#include "json/block.h"

#include <string.h>

enum { FIRST_FILL = 4 << 10 };

/* Reports CAUSE at AT bytes after the last byte read. */
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
static enum tm_status read_whole(struct tm_json_cursor *c, tm_json_value_reader *read, void *state,
                                 struct tm_json_value *value, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK) {
        struct tm_json_scan scan = tm_json_scan_bytes(c->in->data, c->in->data + c->in->len, c->in->ended);
        enum tm_json_status found = read(state, &scan, value);
        if (found == TM_JSON_OK)
            return take(c, (size_t)(scan.p - c->in->data), err);
        if (found == TM_JSON_BAD)
            return bad(c, (size_t)(scan.p - c->in->data), scan.cause, err);
        st = more(c, err);
    }
    return st;
}

static enum tm_json_status read_key(void *state, struct tm_json_scan *scan, struct tm_json_value *key)
{
    (void)state;
    return tm_json_key(scan, key);
}

static enum tm_json_status read_value(void *state, struct tm_json_scan *scan, struct tm_json_value *value)
{
    (void)state;
    return tm_json_value(scan, value);
}

enum tm_status tm_json_cursor_key(struct tm_json_cursor *c, struct tm_json_value *key, struct tm_error *err)
{
    enum tm_status st = next(c, '}', err);
    return st == TM_OK ? read_whole(c, read_key, NULL, key, err) : st;
}

enum tm_status tm_json_cursor_element(struct tm_json_cursor *c, struct tm_error *err)
{
    return next(c, ']', err);
}

enum tm_status tm_json_cursor_read(struct tm_json_cursor *c, tm_json_value_reader *read, void *state,
                                   struct tm_json_value *value, struct tm_error *err)
{
    enum tm_status st = to_token(c, err);
    return st == TM_OK ? read_whole(c, read, state, value, err) : st;
}

enum tm_status tm_json_cursor_value(struct tm_json_cursor *c, struct tm_json_value *value, struct tm_error *err)
{
    return tm_json_cursor_read(c, read_value, NULL, value, err);
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

/* Opens or closes a container by the bracket C. TM_END: the outermost was closed. TM_E_INPUT: it fits no container. */
static inline enum tm_status walk_bracket(struct nest *n, uint8_t c, const char **cause)
{
    if (c == '{' || c == '[') {
        if (n->depth == TM_JSON_DEPTH_MAX) {
            *cause = "values are nested too deeply";
            return TM_E_INPUT;
        }
        uint8_t bit = (uint8_t)(1 << n->depth % 8), *byte = &n->is_object[n->depth / 8];
        *byte = (uint8_t)(c == '{' ? *byte | bit : *byte & ~bit);
        n->depth++;
        return TM_OK;
    }
    if (top_is_object(n) != (c == '}')) {
        *cause = c == '}' ? "a '}' closes a '['" : "a ']' closes a '{'";
        return TM_E_INPUT;
    }
    return --n->depth == 0 ? TM_END : TM_OK;
}

/* Skips bytes from *P to END, up to the end of the container. Sets *P after the last byte skipped. After TM_E_INPUT it
 * is at the bracket. */
static enum tm_status walk_bytes(struct nest *n, const uint8_t **p, const uint8_t *end, const char **cause)
{
    enum tm_status st = TM_OK;
    for (; *p < end && st == TM_OK; ++*p) {
        uint8_t c = **p;
        if (n->escaped)
            n->escaped = false;
        else if (n->in_string && c == '\\')
            n->escaped = true;
        else if (c == '"')
            n->in_string = !n->in_string;
        else if (!n->in_string && ((c | 0x20) == '{' || (c | 0x20) == '}') &&
                 (st = walk_bracket(n, c, cause)) == TM_E_INPUT)
            return st;
    }
    return st;
}

/* Walks over the block at *P as walk_bytes does over bytes. */
static inline enum tm_status walk_block(struct nest *n, const uint8_t **p, const char **cause)
{
    struct tm_json_block block;
    const uint8_t *start = *p;
    if (n->escaped || !tm_json_block_read(&block, start))
        return walk_bytes(n, p, start + TM_JSON_BLOCK_BYTES, cause);
    uint64_t strings = tm_json_block_strings(&block, n->in_string);
    /* In ASCII '[' and '{', and ']' and '}', differ in one bit. */
    uint64_t brackets = (tm_json_block_either(&block, '{') | tm_json_block_either(&block, '}')) & ~strings;
    for (; brackets; brackets &= brackets - 1) {
        *p = start + tm_trailing_zeros(brackets);
        enum tm_status st = walk_bracket(n, **p, cause);
        *p += st == TM_END;
        if (st != TM_OK)
            return st;
    }
    n->in_string = strings >> 63;
    *p = start + TM_JSON_BLOCK_BYTES;
    return TM_OK;
}

/* Skips more of the container: the LEN bytes at DATA, of which it used *USED. TM_END: the container has ended. */
static enum tm_status walk(struct nest *n, const uint8_t *data, size_t len, size_t *used, const char **cause)
{
    const uint8_t *p = data, *end = data + len;
    enum tm_status st = TM_OK;
    while (st == TM_OK && end - p >= TM_JSON_BLOCK_BYTES)
        st = walk_block(n, &p, cause);
    if (st == TM_OK)
        st = walk_bytes(n, &p, end, cause);
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
