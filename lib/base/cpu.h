/* Compiler builtins and processor intrinsics, with replacements for compilers and processors without them. No other
 * header of the library has any (t/002-rooms.bats). */
#ifndef TM_BASE_CPU_H
#define TM_BASE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* True if the processor has FEATURE, AVX or AVX2, whose NAME is that of the compiler. libc has asked it already. The
 * compiler's function would ask again at the start of each program, a tenth of a millisecond in a virtual machine. */
#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ >= 34
#include <sys/platform/x86.h>
#define TM_CPU_HAS(feature, name) CPU_FEATURE_ACTIVE(feature)
#elif defined(__x86_64__) && defined(__GNUC__)
#define TM_CPU_HAS(feature, name) __builtin_cpu_supports(name)
#endif

/* Integers of 128 bits: an extension that every compiler for 64-bit machines has. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 tm_i128;
__extension__ typedef unsigned __int128 tm_u128;
#else
#error "a compiler with 128-bit integers is needed"
#endif

/* Marks a function that must be inlined. */
#ifdef __GNUC__
#define TM_ALWAYS_INLINE __attribute__((always_inline))
#else
#define TM_ALWAYS_INLINE
#endif

/* True, with *R set, if the result for int64_t A and B fits. */
#ifdef __GNUC__
#define TM_CHECKED_ADD(a, b, r) (!__builtin_add_overflow(a, b, r))
#define TM_CHECKED_SUB(a, b, r) (!__builtin_sub_overflow(a, b, r))
#define TM_CHECKED_MUL(a, b, r) (!__builtin_mul_overflow(a, b, r))
#else
#define TM_CHECKED_ADD(a, b, r) \
    ((b) > 0 ? (a) <= INT64_MAX - (b) && (*(r) = (a) + (b), 1) : (a) >= INT64_MIN - (b) && (*(r) = (a) + (b), 1))
#define TM_CHECKED_SUB(a, b, r) \
    ((b) < 0 ? (a) <= INT64_MAX + (b) && (*(r) = (a) - (b), 1) : (a) >= INT64_MIN + (b) && (*(r) = (a) - (b), 1))
#define TM_CHECKED_MUL(a, b, r) \
    (((a) == 0 || (b) == 0 ? 1 \
      : (a) > 0 ? ((b) > 0 ? (a) <= INT64_MAX / (b) : (b) >= INT64_MIN / (a)) \
                : ((b) > 0 ? (a) >= INT64_MIN / (b) : (b) >= INT64_MAX / (a))) && (*(r) = (a) * (b), 1))
#endif

/* Returns the number of zero bits below the lowest set bit of V. V is not 0. */
static inline unsigned tm_trailing_zeros(uint64_t v)
{
#ifdef __GNUC__
    return (unsigned)__builtin_ctzll(v);
#else
    unsigned n = 0;
    for (; !(v & 0xff); v >>= 8)
        n += 8;
    for (; !(v & 1); v >>= 1)
        n++;
    return n;
#endif
}

/* Returns the number of the highest set bit of V. V is not 0. */
static inline unsigned tm_highest_bit(uint64_t v)
{
#ifdef __GNUC__
    return 63 - (unsigned)__builtin_clzll(v);
#else
    unsigned n = 0;
    while (v >>= 1)
        n++;
    return n;
#endif
}

/* Returns the number of set bits of V. */
static inline unsigned tm_set_bits(uint64_t v)
{
#ifdef __GNUC__
    return (unsigned)__builtin_popcountll(v);
#else
    unsigned n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
#endif
}

enum { TM_CPU_CACHE_LINE = 64 /* bytes */ };

/* Loads the cache line of ADDRESS, which need not be valid. */
static inline void tm_cpu_prefetch(const void *address)
{
#ifdef __GNUC__
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

enum { TM_CPU_WRITE_AHEAD = 1024 /* bytes; so far ahead a core gets a line before it is written */ };

/* Gets LEN bytes, but no more than TM_CPU_WRITE_AHEAD, into the cache for writing: those at TM_CPU_WRITE_AHEAD after
 * PLACE, which need not be valid. For memory that another thread has read before: a core that writes waits until the
 * others have given up the line. */
static inline void tm_cpu_write_ahead(const void *place, size_t len)
{
#if defined(__x86_64__) && defined(__GNUC__)
    const uintptr_t from = (uintptr_t)place + TM_CPU_WRITE_AHEAD;
    const uintptr_t end = from + (len < TM_CPU_WRITE_AHEAD ? len : TM_CPU_WRITE_AHEAD);
    for (uintptr_t line = from; line < end; line += TM_CPU_CACHE_LINE)
        __asm__ volatile("prefetchw (%0)" : : "r"(line)); /* processors without this instruction ignore it */
#else
    (void)place;
    (void)len;
#endif
}

#if defined(__x86_64__) && defined(__GNUC__)
/* True if code that was compiled for AVX2 may be called. */
static inline bool tm_cpu_has_avx2(void)
{
    return TM_CPU_HAS(AVX2, "avx2");
}

/* Clears the upper halves of the AVX registers (vzeroupper). The processor must have AVX. */
__attribute__((target("avx"))) static inline void tm_cpu_clear_upper_avx(void)
{
    __builtin_ia32_vzeroupper();
}

/* Clears the upper halves of the AVX registers if the processor has AVX. SSE code is slow while the upper halves are in
 * use. Call it after code of a library that may use AVX. */
static inline void tm_cpu_leave_avx(void)
{
    if (TM_CPU_HAS(AVX, "avx"))
        tm_cpu_clear_upper_avx();
}
#else
static inline bool tm_cpu_has_avx2(void)
{
    return false;
}

static inline void tm_cpu_leave_avx(void)
{
}
#endif

/* Sixteen bytes at once, where TM_HAS_BYTES16 is 1. A mask has a bit for each byte, the first byte lowest. */
#ifdef __SSE2__
#define TM_HAS_BYTES16 1
typedef __m128i tm_bytes16;

static inline tm_bytes16 tm_bytes16_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Each of the following gives 0xff for the bytes for which it is true, 0 for the others. */
static inline tm_bytes16 tm_bytes16_equal(tm_bytes16 x, tm_bytes16 y)
{
    return _mm_cmpeq_epi8(x, y);
}

static inline tm_bytes16 tm_bytes16_is(tm_bytes16 x, uint8_t c)
{
    return _mm_cmpeq_epi8(x, _mm_set1_epi8((char)c));
}

/* C has bit 0x20 set. Gives 0xff for C and for C without that bit: a letter in either case. */
static inline tm_bytes16 tm_bytes16_is_either_case(tm_bytes16 x, uint8_t c)
{
    return tm_bytes16_is(_mm_or_si128(x, _mm_set1_epi8(0x20)), c);
}

static inline tm_bytes16 tm_bytes16_at_most(tm_bytes16 x, uint8_t c)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8((char)c)), x);
}

/* Gives 0xff for the bytes that are decimal digits in ASCII. */
static inline tm_bytes16 tm_bytes16_digits(tm_bytes16 x)
{
    return tm_bytes16_at_most(_mm_sub_epi8(x, _mm_set1_epi8('0')), 9);
}

static inline tm_bytes16 tm_bytes16_or(tm_bytes16 x, tm_bytes16 y)
{
    return _mm_or_si128(x, y);
}

static inline tm_bytes16 tm_bytes16_and(tm_bytes16 x, tm_bytes16 y)
{
    return _mm_and_si128(x, y);
}

/* Returns the mask of the top bits of X. */
static inline unsigned tm_bytes16_mask(tm_bytes16 x)
{
    return (unsigned)_mm_movemask_epi8(x);
}
#else
#define TM_HAS_BYTES16 0
#endif

#endif
