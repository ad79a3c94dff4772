#include "base/secret.h"

#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

enum { RANDOM_BYTES = 16 };

uint64_t tm_secret(void)
{
    const void *at = NULL;
#if defined(__linux__)
    at = (const void *)getauxval(AT_RANDOM);
#endif
    uint64_t words[RANDOM_BYTES / sizeof(uint64_t)] = {(uint64_t)getpid(), (uint64_t)(uintptr_t)&words};
    if (at)
        memcpy(words, at, sizeof words);
    return XXH3_64bits(words, sizeof words) | 1;
}

uint64_t tm_keyed_bytes(uint64_t seed, const void *data, size_t len)
{
    return XXH3_64bits_withSeed(len ? data : "", len, seed);
}
