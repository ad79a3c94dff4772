/* Skips a container that is known to be valid. Only quotes, backslashes and brackets of its own kind are looked at, 64
 * bytes at a time. */
#include "base/cpu.h"
#include "json/scan.h"

enum { BLOCK_BYTES = 64 };

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

#if TM_HAS_BYTES16

static inline uint64_t equal64(const tm_bytes16 x[4], uint8_t c)
{
    uint64_t mask = 0;
    for (int i = 3; i >= 0; i--)
        mask = mask << 16 | tm_bytes16_mask(tm_bytes16_is(x[i], c));
    return mask;
}

/* Returns a mask. Bit i is set if bits 0 to i of X have an odd number of ones: byte i is then inside a string. */
static inline uint64_t after_odd(uint64_t x)
{
    for (int shift = 1; shift < 64; shift *= 2)
        x ^= x << shift;
    return x;
}

/* Skips a block. Returns the end of the container, or NULL. */
static inline const uint8_t *pass_block(struct pass *s, const uint8_t *p)
{
    tm_bytes16 x[4];
    for (int i = 0; i < 4; i++)
        x[i] = tm_bytes16_load(p + 16 * i);
    if (s->escaped || equal64(x, '\\'))
        return pass_bytes(s, p, p + BLOCK_BYTES);
    uint64_t strings = after_odd(equal64(x, '"')) ^ (s->in_string ? UINT64_MAX : 0);
    uint64_t opens = equal64(x, s->opener) & ~strings;
    uint64_t brackets = opens | (equal64(x, s->closer) & ~strings);
    for (; brackets; brackets &= brackets - 1) {
        s->depth += opens & brackets & (0 - brackets) ? 1 : UINT64_MAX;
        if (s->depth == 0)
            return p + tm_trailing_zeros(brackets) + 1;
    }
    s->in_string = strings >> 63;
    return NULL;
}

#else

static inline const uint8_t *pass_block(struct pass *s, const uint8_t *p)
{
    return pass_bytes(s, p, p + BLOCK_BYTES);
}

#endif

enum tm_json_status tm_json_pass(struct tm_json_scan *scan, struct tm_json_value *value)
{
    const uint8_t *p = scan->p, *found = NULL;
    struct pass s = {.opener = *p, .closer = *p == '{' ? '}' : ']'};
    for (; found == NULL && scan->end - p >= BLOCK_BYTES; p += BLOCK_BYTES)
        found = pass_block(&s, p);
    if (found == NULL) {
        /* Processes the rest as a block of its own, filled up with blanks. */
        uint8_t block[BLOCK_BYTES];
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
