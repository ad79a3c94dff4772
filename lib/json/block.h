/* Sixty-four bytes of JSON at once: where its strings and brackets are. A mask has a bit for each byte of the block,
 * the first byte lowest. */
#ifndef TM_JSON_BLOCK_H
#define TM_JSON_BLOCK_H

#include "base/cpu.h"

#include <string.h>

enum { TM_JSON_BLOCK_BYTES = 64 };

struct tm_json_block {
#if TM_HAS_BYTES16
    tm_bytes16 bytes[TM_JSON_BLOCK_BYTES / 16];
#else
    uint8_t bytes[TM_JSON_BLOCK_BYTES];
#endif
};

#if TM_HAS_BYTES16

/* Returns the mask of the bytes that are C. */
static inline uint64_t tm_json_block_equal(const struct tm_json_block *block, uint8_t c)
{
    uint64_t mask = 0;
    for (int i = 3; i >= 0; i--)
        mask = mask << 16 | tm_bytes16_mask(tm_bytes16_is(block->bytes[i], c));
    return mask;
}

/* Returns the mask of the bytes that are C, which has bit 0x20 set, or C without that bit. */
static inline uint64_t tm_json_block_either(const struct tm_json_block *block, uint8_t c)
{
    uint64_t mask = 0;
    for (int i = 3; i >= 0; i--)
        mask = mask << 16 | tm_bytes16_mask(tm_bytes16_is_either_case(block->bytes[i], c));
    return mask;
}

/* Loads the TM_JSON_BLOCK_BYTES bytes at P. */
static inline void tm_json_block_load(struct tm_json_block *block, const uint8_t *p)
{
    for (int i = 0; i < 4; i++)
        block->bytes[i] = tm_bytes16_load(p + 16 * i);
}

#else

static inline uint64_t tm_json_block_equal(const struct tm_json_block *block, uint8_t c)
{
    uint64_t mask = 0;
    for (int i = TM_JSON_BLOCK_BYTES - 1; i >= 0; i--)
        mask = mask << 1 | (block->bytes[i] == c);
    return mask;
}

static inline uint64_t tm_json_block_either(const struct tm_json_block *block, uint8_t c)
{
    return tm_json_block_equal(block, c) | tm_json_block_equal(block, c & (uint8_t)~0x20);
}

static inline void tm_json_block_load(struct tm_json_block *block, const uint8_t *p)
{
    memcpy(block->bytes, p, TM_JSON_BLOCK_BYTES);
}

#endif

/* Loads the block at P. False if a backslash is in it: then it is to be read byte by byte. */
static inline bool tm_json_block_read(struct tm_json_block *block, const uint8_t *p)
{
    tm_json_block_load(block, p);
    return tm_json_block_equal(block, '\\') == 0;
}

/* Returns the mask of the bytes inside strings, with the quotes that begin them and without those that end them.
 * IN_STRING: the block begins inside a string. */
static inline uint64_t tm_json_block_strings(const struct tm_json_block *block, bool in_string)
{
    uint64_t x = tm_json_block_equal(block, '"');
    for (int shift = 1; shift < 64; shift *= 2)
        x ^= x << shift; /* bit i: whether bits 0 to i have an odd number of ones */
    return x ^ (in_string ? UINT64_MAX : 0);
}

#endif
