/* How many bytes a run makes of its input by decompressing, and how many it may make. Archives in archives, and data
 * that compresses well, let a few bytes of input become more than anyone can wait for. One for a run; one thread. */
#ifndef TM_OS_EXPANSION_H
#define TM_OS_EXPANSION_H

#include "base/status.h"

#include <stdint.h>

/* Where max_bytes is 0: so many times the input's bytes may come of it, and at least so many. */
#define TM_EXPANSION_FACTOR ((uint64_t)1000)
#define TM_EXPANSION_BYTES_MIN ((uint64_t)64 << 30)

/* An archive inside another one counts for so many bytes more. */
#define TM_EXPANSION_OF_ARCHIVE ((uint64_t)1 << 20)

/* Zero-initialise. */
struct tm_expansion {
    uint64_t max_bytes;   /* 0: by the input */
    uint64_t input_bytes; /* what was there before anything was decompressed, as far as it is known */
    uint64_t bytes;       /* what has come of it, at each level of nesting */
};

/* BYTES more have been decompressed. TM_OK, or TM_E_INPUT "expands to more than N bytes …", then and at each call
 * after. */
enum tm_status tm_expansion_add(struct tm_expansion *expansion, uint64_t bytes, struct tm_error *err);

#endif
