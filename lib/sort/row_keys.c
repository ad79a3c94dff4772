#include "sort/row_keys.h"

#include <stdbool.h>

enum {
    RADIX_BITS = 9, /* destinations fit in the first-level cache */
    RADIX_SIZE = 1 << RADIX_BITS,
    RADIX_ROWS_MIN = 64, /* fewer rows are sorted by insertion */
    INSERT_MOVES = 8     /* insertion gives up after this many moves for each key */
};

/* Sorts FROM into TO by the digit at SHIFT. */
static void radix_pass(const uint64_t *from, uint64_t *to, uint32_t count, unsigned shift)
{
    uint32_t starts[RADIX_SIZE] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; i++)
        starts[from[i] >> shift & (RADIX_SIZE - 1)]++;
    for (int d = 0; d < RADIX_SIZE; d++) {
        uint32_t n = starts[d];
        starts[d] = sum;
        sum += n;
    }
    for (uint32_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & (RADIX_SIZE - 1)]++] = from[i];
}

/* Sorts by all digits from bit LOW to before END. Returns where the keys are. */
static uint64_t *radix_sort(uint64_t *keys, uint64_t *spare, uint32_t count, unsigned low, unsigned end)
{
    for (unsigned shift = low; shift < end; shift += RADIX_BITS) {
        radix_pass(keys, spare, count, shift);
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* Sorts keys that are nearly in order by insertion. Returns false if it took too many moves and was not finished. */
static bool insert(uint64_t *keys, uint32_t count)
{
    uint64_t moves = 0, moves_max = (uint64_t)INSERT_MOVES * count;
    for (uint32_t i = 1; i < count && moves <= moves_max; i++) {
        const uint64_t key = keys[i];
        if (key >= keys[i - 1])
            continue;
        uint32_t at = i;
        for (; at > 0 && key < keys[at - 1]; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
        moves += i - at;
    }
    return moves <= moves_max;
}

uint64_t *tm_row_keys_sort(uint64_t *keys, uint64_t *spare, uint32_t count, unsigned time_bits)
{
    unsigned end = TM_ROW_KEY_ROW_BITS + time_bits;
    /* Sorting by the high bits leaves mostly neighbours in the wrong order. */
    unsigned low = time_bits > 2 * RADIX_BITS && count >= RADIX_SIZE ? end - 2 * RADIX_BITS : TM_ROW_KEY_ROW_BITS;
    uint64_t *sorted = count >= RADIX_ROWS_MIN ? radix_sort(keys, spare, count, low, end) : keys;
    if (insert(sorted, count))
        return sorted;
    return radix_sort(sorted, sorted == keys ? spare : keys, count, TM_ROW_KEY_ROW_BITS, end);
}
