/* The functions of hash.h, compiled for AVX2. They return the same hashes with half the instructions. */
#include "base/hash_wide.h"

#if TM_HASH_WIDE
#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#define XXH_VECTOR 2 /* XXH_AVX2 */
#include "base/cpu.h"

#include <xxhash.h>

/* gcc 12 leaves the upper halves of the wide registers in use. All later SSE instructions then wait for them, which
 * doubles the time of unpacking. So each function clears them. */
uint64_t tm_hash64_wide(const void *data, size_t len)
{
    uint64_t hash = XXH3_64bits(data, len);
    tm_cpu_clear_upper_avx();
    return hash;
}

uint64_t tm_hash64_pieces_wide(const struct iovec *pieces, size_t count)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (size_t i = 0; i < count; i++)
        if (pieces[i].iov_len)
            XXH3_64bits_update(&state, pieces[i].iov_base, pieces[i].iov_len);
    uint64_t hash = XXH3_64bits_digest(&state);
    tm_cpu_clear_upper_avx();
    return hash;
}
#else
typedef int tm_hash_wide_is_empty;
#endif
