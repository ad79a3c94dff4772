/* A random number of this process. Tables key their hashes with it, so an input cannot put all its keys into one slot.
 * No output may depend on it. */
#ifndef TM_BASE_SECRET_H
#define TM_BASE_SECRET_H

#include "base/cpu.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the secret of this process, which is never 0. It comes from the random bytes that the kernel gives each
 * process at its start. If the system gives none, it is made of addresses and the process id. */
uint64_t tm_secret(void);

/* Returns the hash of a number under SEED: a 128-bit product folded to 64 bits. */
static inline uint64_t tm_keyed_u64(uint64_t seed, uint64_t value)
{
    tm_u128 p = (tm_u128)(value ^ seed) * (seed ^ UINT64_C(0x9e3779b97f4a7c15));
    uint64_t folded = (uint64_t)p ^ (uint64_t)(p >> 64);
    return folded ^ folded >> 32;
}

/* Returns the hash of LEN bytes under SEED (XXH3-64 with a seed). DATA may be NULL if LEN is 0. */
uint64_t tm_keyed_bytes(uint64_t seed, const void *data, size_t len);

#endif
