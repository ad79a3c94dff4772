/* A memory of the keys of objects, by the keys that they follow. Objects of one kind have the same keys in the same
 * order, with the same white space. A key is compared with those that have followed the key before it; it is scanned
 * only if it is none of them.
 *
 * The text of a key is all that stands between two values: comma, key, colon and the white space around them. At the
 * end of an object it ends in the bracket. A text that was valid after one value is valid after any. The first text of
 * an object, which has no comma, follows the start. */
#ifndef TM_JSON_KNOWN_KEYS_H
#define TM_JSON_KNOWN_KEYS_H

#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TM_JSON_KNOWN_KEYS = 64,  /* numbers of keys; if there are more keys, all are forgotten */
    TM_JSON_KNOWN_START = 1,  /* the number of the start of an object; 0 is no key, and has no successors */
    TM_JSON_KNOWN_BYTES = 32, /* longer texts are not remembered; a text is compared if so many bytes are readable */
    TM_JSON_KNOWN_NEXT = 6    /* how many successors of a key are remembered */
};

/* The first bytes of a text. Zero-initialised, it equals no text. */
struct tm_json_known_text {
    uint8_t bytes[TM_JSON_KNOWN_BYTES];
    uint32_t mask; /* a bit for each byte that counts, the first byte lowest; 0: none */
};

struct tm_json_known_key {
    struct tm_json_known_text text;
    uint8_t len;
    uint8_t tag; /* the caller's own note about the key */
    uint8_t next[TM_JSON_KNOWN_NEXT]; /* numbers of keys that have followed; 0: none */
};

/* Zero-initialise. For the objects of one kind in one file. */
struct tm_json_known_keys {
    uint32_t count; /* the numbers in use are those from 2 to COUNT + 1 */
    struct tm_json_known_key keys[TM_JSON_KNOWN_KEYS];
};

/* Sets TEXT to the first LEN (at most TM_JSON_KNOWN_BYTES) bytes at P, where TM_JSON_KNOWN_BYTES are readable. */
static inline void tm_json_known_text_set(struct tm_json_known_text *text, const uint8_t *p, size_t len)
{
    memcpy(text->bytes, p, TM_JSON_KNOWN_BYTES);
    text->mask = (uint32_t)((UINT64_C(1) << len) - 1);
}

/* True if TEXT is at P. TM_JSON_KNOWN_BYTES at P are readable. */
static inline bool tm_json_known_text_is(const struct tm_json_known_text *text, const uint8_t *p)
{
#if TM_HAS_BYTES16
    uint32_t equal = tm_bytes16_mask(tm_bytes16_equal(tm_bytes16_load(p), tm_bytes16_load(text->bytes)));
    if (text->mask >> 16)
        equal |= (uint32_t)tm_bytes16_mask(tm_bytes16_equal(tm_bytes16_load(p + 16), tm_bytes16_load(text->bytes + 16)))
                 << 16;
    return text->mask && (text->mask & ~equal) == 0;
#else
    unsigned at = 0;
    while (at < TM_JSON_KNOWN_BYTES && text->mask >> at & 1 && p[at] == text->bytes[at])
        at++;
    return text->mask && (at == TM_JSON_KNOWN_BYTES || !(text->mask >> at & 1));
#endif
}

/* Returns the number of the key at P that has followed key BEFORE; 0 if there is none. TM_JSON_KNOWN_BYTES at P are
 * readable. */
static inline uint32_t tm_json_known_keys_next(struct tm_json_known_keys *known, uint32_t before, const uint8_t *p)
{
    uint8_t *next = known->keys[before].next;
    for (unsigned i = 0; i < TM_JSON_KNOWN_NEXT && next[i]; i++) {
        uint8_t number = next[i];
        if (!tm_json_known_text_is(&known->keys[number].text, p))
            continue;
        if (i > 0) { /* is found one step earlier next time */
            next[i] = next[i - 1];
            next[i - 1] = number;
        }
        return number;
    }
    return 0;
}

/* Remembers the LEN bytes at P as a key that follows BEFORE, or as one without predecessor if that is 0. Returns its
 * number; 0: it is too long.
 * TM_JSON_KNOWN_BYTES at P are readable. *IS_NEW: what the caller keeps under this number is of another key. If there
 * are too many keys, all others are forgotten. */
uint32_t tm_json_known_keys_learn(struct tm_json_known_keys *known, uint32_t before, const uint8_t *p, size_t len,
                                  bool *is_new);

#endif
