/* Sorts rows of a batch by 48 bits of their times. These bits and the row's number share a word, so half as many bytes
 * are moved as with separate times and numbers. */
#ifndef TM_SORT_ROW_KEYS_H
#define TM_SORT_ROW_KEYS_H

#include <stdint.h>

enum { TM_ROW_KEY_ROW_BITS = 16, TM_ROW_KEY_TIME_BITS = 48 };

/* Bits of TIME above the lowest TM_ROW_KEY_TIME_BITS do not count. */
static inline uint64_t tm_row_key(uint64_t time, uint32_t row)
{
    return time << TM_ROW_KEY_ROW_BITS | row;
}

static inline uint32_t tm_row_key_row(uint64_t key)
{
    return key & ((1 << TM_ROW_KEY_ROW_BITS) - 1);
}

/* Sorts COUNT keys whose times have at most TIME_BITS bits. Rows of equal time must already be in increasing order.
 * SPARE has room for COUNT keys. Returns where the sorted keys are: KEYS or SPARE. */
uint64_t *tm_row_keys_sort(uint64_t *keys, uint64_t *spare, uint32_t count, unsigned time_bits);

#endif
