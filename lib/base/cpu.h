/* What the processor can do, and hints to it. Code that uses these also works without them. */
#ifndef TM_BASE_CPU_H
#define TM_BASE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* True if code that was compiled for AVX2 may be called. */
static inline bool tm_cpu_has_avx2(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Loads the cache line of ADDRESS, which need not be valid. */
static inline void tm_cpu_prefetch(const void *address)
{
#ifdef __GNUC__
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

#endif
