/* Numbers that look random, for tests: equal seeds give equal numbers on every machine. */
#ifndef TM_T_RANDOM_H
#define TM_T_RANDOM_H

#include "base/hash.h"

/* Returns 64 bits, and changes *SEED for the next call. */
static inline uint64_t random_next(uint64_t *seed)
{
    return *seed = tm_hash_u64(*seed + 1);
}

/* Returns a number below N, which is at least 1, and changes *SEED. */
static inline uint64_t random_below(uint64_t *seed, uint64_t n)
{
    return random_next(seed) % n;
}

/* Returns the result of random_below in 32 bits. */
static inline uint32_t random_below32(uint64_t *seed, uint32_t n)
{
    return (uint32_t)random_below(seed, n);
}

/* Returns the number of random cases to try: N, or a quarter of N in a sanitized program. Sanitizers find memory
 * errors, which a quarter of the cases shows. */
static inline int random_cases(int n)
{
#ifdef __SANITIZE_ADDRESS__
    return n / 4;
#else
    return n;
#endif
}

#endif
