/* An index of rows that lie elsewhere: from the hash of a row's key to the row's number. The caller compares the keys.
 * Open addressing; it grows with what is in it. Zero-initialise. Nothing is taken out again.
 *
 *     struct tm_probe probe = tm_probe(index, tm_index_hash_u64(index, id));
 *     while ((row = tm_probe_next(index, &probe)) != TM_INDEX_NONE)
 *         if (rows[row].id == id)
 *             return row; */
#ifndef TM_BASE_INDEX_H
#define TM_BASE_INDEX_H

#include "base/secret.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define TM_INDEX_NONE UINT32_MAX

struct tm_index {
    uint32_t count;
    /* private */
    uint32_t mask;
    uint64_t seed;
    uint64_t *slots; /* upper half: of the hash; lower half: the row's number plus 1; 0: empty */
};

/* A search that is under way. */
struct tm_probe {
    uint32_t hash, at;
};

/* Makes the index ready for the first key, if it is not. */
static inline void tm_index_seed(struct tm_index *index)
{
    if (index->seed == 0)
        index->seed = tm_secret();
}

/* Hashes of keys. An index that was not seeded is empty, so any hash does. */
static inline uint64_t tm_index_hash_u64(const struct tm_index *index, uint64_t key)
{
    return tm_keyed_u64(index->seed, key);
}

static inline uint64_t tm_index_hash_bytes(const struct tm_index *index, const void *data, size_t len)
{
    return tm_keyed_bytes(index->seed, data, len);
}

/* The hash of a key that goes on with NUMBER after what HASH is of. */
static inline uint64_t tm_index_hash_more(const struct tm_index *index, uint64_t hash, uint64_t number)
{
    return tm_keyed_u64(index->seed, hash ^ tm_keyed_u64(~index->seed, number));
}

static inline struct tm_probe tm_probe(const struct tm_index *index, uint64_t hash)
{
    return (struct tm_probe){(uint32_t)hash, (uint32_t)hash & index->mask};
}

/* The next row whose hash is that of PROBE, or TM_INDEX_NONE when there are no more. */
static inline uint32_t tm_probe_next(const struct tm_index *index, struct tm_probe *probe)
{
    if (index->slots == NULL)
        return TM_INDEX_NONE;
    for (;;) {
        uint64_t slot = index->slots[probe->at];
        if (slot == 0)
            return TM_INDEX_NONE;
        probe->at = (probe->at + 1) & index->mask;
        if ((uint32_t)(slot >> 32) == probe->hash)
            return (uint32_t)slot - 1;
    }
}

/* Adds ROW (below 2^30) under HASH. TM_OK or TM_E_SYSTEM: no memory, nothing has changed. */
enum tm_status tm_index_add(struct tm_index *index, uint64_t hash, uint32_t row);

/* Forgets all rows and keeps the memory. */
void tm_index_clear(struct tm_index *index);

void tm_index_release(struct tm_index *index);

#endif
