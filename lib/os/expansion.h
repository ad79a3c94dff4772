/* How many bytes a run gets by decompressing its input, and how many it may get. Nested archives, and data that
 * compresses well, can turn a few bytes of input into more than anyone can wait for. There is one such count for a run,
 * used by one thread. */
#ifndef TM_OS_EXPANSION_H
#define TM_OS_EXPANSION_H

#include "base/status.h"

#include <stdint.h>

/* The limit if max_bytes is 0: the input's bytes times this factor, but no less than TM_EXPANSION_BYTES_MIN. */
#define TM_EXPANSION_FACTOR ((uint64_t)1000)
#define TM_EXPANSION_BYTES_MIN ((uint64_t)64 << 30)

/* An archive inside another one counts as this many bytes of expansion. */
#define TM_EXPANSION_OF_ARCHIVE ((uint64_t)1 << 20)

/* Zero-initialise. */
struct tm_expansion {
    uint64_t max_bytes;   /* 0: by the input */
    uint64_t input_bytes; /* size of the input before anything was decompressed, as far as it is known */
    uint64_t bytes;       /* decompressed so far; the sum over all levels of nesting */
};

/* Adds BYTES that were decompressed. TM_OK, or TM_E_INPUT "… expands to more than the limit of N bytes …" from the call
 * on that exceeds the limit. */
enum tm_status tm_expansion_add(struct tm_expansion *expansion, uint64_t bytes, struct tm_error *err);

#endif
