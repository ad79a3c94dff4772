/* One fast 64-bit hash (XXH3), the same on every machine, for identities and checksums that are written to files.
 * Tables use secret.h instead, because the author of an input can make any number of keys that have the same hash here.
 */
#ifndef TM_BASE_HASH_H
#define TM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns XXH3-64 of LEN bytes with seed 0. */
uint64_t tm_hash64(const void *data, size_t len);

/* Returns XXH3-64 with seed 0 of COUNT pieces, as if they were joined. */
struct iovec;
uint64_t tm_hash64_pieces(const struct iovec *pieces, size_t count);

/* Returns XXH3-64 of LEN bytes with SEED. */
uint64_t tm_hash64_seed(const void *data, size_t len, uint64_t seed);

/* Returns XXH3-64 with SEED of COUNT numbers (at most 16), in the byte order of the wire. */
uint64_t tm_hash64_numbers(const uint64_t *numbers, size_t count, uint64_t seed);

/* Mixes one number. The result is good enough for open addressing by its low bits. */
static inline uint64_t tm_hash_u64(uint64_t v)
{
    v ^= v >> 32;
    v *= UINT64_C(0x9e3779b97f4a7c15);
    v ^= v >> 29;
    v *= UINT64_C(0xbf58476d1ce4e5b9);
    return v ^ v >> 32;
}

/* Mixes three numbers, whose order matters. */
static inline uint64_t tm_hash_three(uint64_t a, uint64_t b, uint64_t c)
{
    return tm_hash_u64(a ^ tm_hash_u64(b ^ tm_hash_u64(c + 1)));
}

#endif
