/* The functions of hash.h, compiled for AVX2 if the compiler can do that for one file. Private to hash.c. Call them
 * only if the processor has AVX2. */
#ifndef TM_BASE_HASH_WIDE_H
#define TM_BASE_HASH_WIDE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__)
#define TM_HASH_WIDE 1
#else
#define TM_HASH_WIDE 0
#endif

#if TM_HASH_WIDE
uint64_t tm_hash64_wide(const void *data, size_t len);
uint64_t tm_hash64_pieces_wide(const struct iovec *pieces, size_t count);
#endif

#endif
