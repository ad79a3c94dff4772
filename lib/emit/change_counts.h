/* Counts of changes of things that have a number in a scope, such as the tasks of a machine. What a cache has of a
 * thing is valid while the count of the thing is the same. Things share counts by a hash, so memory is bounded. A
 * change of one then costs the others a new look-up. */
#ifndef TM_EMIT_CHANGE_COUNTS_H
#define TM_EMIT_CHANGE_COUNTS_H

#include "base/hash.h"

enum { TM_CHANGE_COUNTS = 4096 }; /* a power of two */

/* Zero-initialise. */
struct tm_change_counts {
    uint32_t counts[TM_CHANGE_COUNTS];
};

/* Returns the index in counts of ID in SCOPE. */
static inline uint16_t tm_change_counts_index(uint32_t scope, int64_t id)
{
    return (uint16_t)(tm_hash_u64((uint64_t)scope << 40 ^ (uint64_t)id) & (TM_CHANGE_COUNTS - 1));
}

#endif
