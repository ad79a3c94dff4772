/* A memory of the keys of objects, by the keys that they follow. Objects of one kind have the same keys in the same
 * order, with the same white space. A key is compared with those that have followed the key before it; it is scanned
 * only if it is none of them.
 *
 * The text of a key is all that stands between two values: comma, key, colon, the white space around them, and the
 * brackets that are opened or closed there. At the end of the outermost container it ends in the bracket. The first
 * text, which has no comma, follows the start. A text is known together with its tag, the caller's number of the place
 * that it leads to: the same text can lead from one place to another and, elsewhere, to a third. A text that was valid
 * before a place is valid wherever else it leads to that place. */
#ifndef TM_JSON_KNOWN_KEYS_H
#define TM_JSON_KNOWN_KEYS_H

#include "base/cpu.h"
#include "base/text.h"

enum {
    TM_JSON_KNOWN_KEYS = 1024, /* numbers of keys; if there are more keys, all are forgotten */
    TM_JSON_KNOWN_START = 1,   /* the number of the start; 0 is no key, and has no successors */
    TM_JSON_KNOWN_BYTES = 48,  /* longer texts are not remembered; a text is compared if so many bytes are readable */
    TM_JSON_KNOWN_NEXT = 14    /* how many successors of a key are remembered */
};

/* The first bytes of a text. Zero-initialised, it equals no text. */
struct tm_json_known_text {
    uint8_t bytes[TM_JSON_KNOWN_BYTES];
    uint64_t mask; /* a bit for each byte that counts, the first byte lowest; 0: none */
};

struct tm_json_known_key {
    struct tm_json_known_text text;
    uint16_t next[TM_JSON_KNOWN_NEXT]; /* numbers of keys that have followed; 0: none */
    uint16_t tag;
    uint8_t len;
};

/* For the objects of one kind in one file. Zero-initialise, or call tm_json_known_keys_init. */
struct tm_json_known_keys {
    uint32_t count; /* the numbers in use are those from 2 to COUNT + 1 */
    struct tm_json_known_key keys[TM_JSON_KNOWN_KEYS];
    uint64_t seed; /* of the hashes */
    uint16_t slots[2 * TM_JSON_KNOWN_KEYS]; /* numbers of keys by the hashes of text and tag; 0: free */
};

/* Makes KNOWN empty, whatever its memory contains. Most of the memory is left as it is, so this costs little. */
void tm_json_known_keys_init(struct tm_json_known_keys *known);

/* Sets TEXT to the first LEN (at most TM_JSON_KNOWN_BYTES) bytes at P, where TM_JSON_KNOWN_BYTES are readable. */
static inline void tm_json_known_text_set(struct tm_json_known_text *text, const uint8_t *p, size_t len)
{
    memcpy(text->bytes, p, TM_JSON_KNOWN_BYTES);
    text->mask = (UINT64_C(1) << len) - 1;
}

#if TM_HAS_BYTES16
/* Returns a mask of the bytes from AT to AT + 15 that are the same in TEXT and at P. */
static inline uint64_t tm_json_known_same(const struct tm_json_known_text *text, const uint8_t *p, unsigned at)
{
    return (uint64_t)tm_bytes16_mask(tm_bytes16_equal(tm_bytes16_load(p + at), tm_bytes16_load(text->bytes + at)))
           << at;
}
#endif

/* True if TEXT is at P. TM_JSON_KNOWN_BYTES at P are readable. */
static inline bool tm_json_known_text_is(const struct tm_json_known_text *text, const uint8_t *p)
{
#if TM_HAS_BYTES16
    uint64_t same = tm_json_known_same(text, p, 0);
    if (text->mask >> 16)
        same |= tm_json_known_same(text, p, 16) | tm_json_known_same(text, p, 32);
    return text->mask && (text->mask & ~same) == 0;
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
    uint16_t *next = known->keys[before].next;
    for (unsigned i = 0; i < TM_JSON_KNOWN_NEXT && next[i]; i++) {
        uint16_t number = next[i];
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

/* Remembers TEXT as a key with tag TAG that follows BEFORE, or as one without predecessor if that is 0. Returns its
 * number; 0: it is too long.
 * TM_JSON_KNOWN_BYTES of TEXT are readable, even if it is shorter. *IS_NEW: what the caller keeps under this number is
 * of another key. If there are too many keys, all others are forgotten. */
uint32_t tm_json_known_keys_learn(struct tm_json_known_keys *known, uint32_t before, struct tm_text text, uint16_t tag,
                                  bool *is_new);

#endif
