#include "base/hash.h"

#define XXH_INLINE_ALL
#include <sys/uio.h>
#include <xxhash.h>

uint64_t tm_hash64(const void *data, size_t len)
{
    return XXH3_64bits(data, len);
}

uint64_t tm_hash64_pieces(const struct iovec *pieces, size_t count)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (size_t i = 0; i < count; i++)
        if (pieces[i].iov_len)
            XXH3_64bits_update(&state, pieces[i].iov_base, pieces[i].iov_len);
    return XXH3_64bits_digest(&state);
}

uint64_t tm_hash64_seed(const void *data, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, len, seed);
}
