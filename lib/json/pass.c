/* Reads a value that is known to be valid. Of an object or array, only quotes, backslashes and brackets of its own kind
 * are looked at, 64 bytes at a time. */
#include "json/block.h"
#include "json/scan.h"

struct pass {
    uint8_t opener, closer;
    uint64_t depth;
    bool in_string, escaped;
};

/* Skips byte by byte. Returns the end of the container, or NULL. */
static const uint8_t *pass_bytes(struct pass *s, const uint8_t *p, const uint8_t *end)
{
    for (; p < end; p++) {
        if (s->escaped) {
            s->escaped = false;
        } else if (s->in_string) {
            s->escaped = *p == '\\';
            s->in_string = *p != '"';
        } else if (*p == '"') {
            s->in_string = true;
        } else if (*p == s->opener) {
            s->depth++;
        } else if (*p == s->closer && --s->depth == 0) {
            return p + 1;
        }
    }
    return NULL;
}

/* Skips a block. Returns the end of the container, or NULL. */
static inline const uint8_t *pass_block(struct pass *s, const uint8_t *p)
{
    struct tm_json_block block;
    if (s->escaped || !tm_json_block_read(&block, p))
        return pass_bytes(s, p, p + TM_JSON_BLOCK_BYTES);
    uint64_t strings = tm_json_block_strings(&block, s->in_string);
    uint64_t opens = tm_json_block_equal(&block, s->opener) & ~strings;
    uint64_t brackets = opens | (tm_json_block_equal(&block, s->closer) & ~strings);
    for (; brackets; brackets &= brackets - 1) {
        s->depth += opens & brackets & (0 - brackets) ? 1 : UINT64_MAX;
        if (s->depth == 0)
            return p + tm_trailing_zeros(brackets) + 1;
    }
    s->in_string = strings >> 63;
    return NULL;
}

enum tm_json_status tm_json_pass(struct tm_json_scan *scan, struct tm_json_value *value)
{
    const uint8_t *p = scan->p, *found = NULL;
    if (*p != '{' && *p != '[')
        return tm_json_value(scan, value);
    struct pass s = {.opener = *p, .closer = *p == '{' ? '}' : ']'};
    for (; found == NULL && scan->end - p >= TM_JSON_BLOCK_BYTES; p += TM_JSON_BLOCK_BYTES)
        found = pass_block(&s, p);
    if (found == NULL) {
        /* Processes the rest as a block of its own, filled up with blanks. */
        uint8_t block[TM_JSON_BLOCK_BYTES];
        size_t rest = (size_t)(scan->end - p);
        memset(block, ' ', sizeof block);
        memcpy(block, p, rest);
        if ((found = pass_block(&s, block)) == NULL)
            return TM_JSON_MORE;
        found = p + (found - block);
    }
    *value = (struct tm_json_value){.data = scan->p, .len = (size_t)(found - scan->p),
                                    .type = s.opener == '{' ? TM_JSON_OBJECT : TM_JSON_ARRAY};
    scan->p = found;
    return TM_JSON_OK;
}
