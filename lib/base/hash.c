#include "base/hash.h"

#include "base/cpu.h"
#include "base/bytes.h"
#include "base/hash_wide.h"

#define XXH_INLINE_ALL
#include <sys/uio.h>
#include <xxhash.h>

enum { NUMBERS_MAX = 16 };

/* Shorter inputs gain nothing from wider vectors. */
#if TM_HASH_WIDE
enum { HASH_WIDE_BYTES = 1024 };
#endif

uint64_t tm_hash64(const void *data, size_t len)
{
#if TM_HASH_WIDE
    if (len >= HASH_WIDE_BYTES && tm_cpu_has_avx2())
        return tm_hash64_wide(data, len);
#endif
    return XXH3_64bits(data, len);
}

uint64_t tm_hash64_pieces(const struct iovec *pieces, size_t count)
{
    XXH3_state_t state;
#if TM_HASH_WIDE
    if (tm_cpu_has_avx2())
        return tm_hash64_pieces_wide(pieces, count);
#endif
    XXH3_64bits_reset(&state);
    for (size_t i = 0; i < count; i++)
        if (pieces[i].iov_len)
            XXH3_64bits_update(&state, pieces[i].iov_base, pieces[i].iov_len);
    return XXH3_64bits_digest(&state);
}

uint64_t tm_hash64_numbers(const uint64_t *numbers, size_t count, uint64_t seed)
{
    uint8_t bytes[NUMBERS_MAX * sizeof *numbers];
    for (size_t i = 0; i < count && i < NUMBERS_MAX; i++)
        tm_put_le64(bytes + i * sizeof *numbers, numbers[i]);
    return XXH3_64bits_withSeed(bytes, count * sizeof *numbers, seed);
}

uint64_t tm_hash64_seed(const void *data, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, len, seed);
}
