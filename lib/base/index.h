/* An index of rows that are stored elsewhere. It maps the hash of a row's key to the row's number; the caller compares
 * the keys. It uses open addressing and grows with its rows. Rows cannot be removed one by one. Zero-initialise.
 *
 *     struct tm_probe probe = tm_probe(index, tm_index_hash_u64(index, id));
 *     while ((row = tm_probe_next(index, &probe)) != TM_INDEX_NONE)
 *         if (rows[row].id == id)
 *             return row; */
#ifndef TM_BASE_INDEX_H
#define TM_BASE_INDEX_H

#include "base/secret.h"
#include "base/status.h"

#include <stdint.h>

#define TM_INDEX_NONE UINT32_MAX

struct tm_index {
    uint32_t count;
    /* private */
    uint32_t mask;
    uint64_t seed;
    uint64_t *slots; /* upper half: upper half of the hash; lower half: the row's number plus 1; 0: empty */
};

/* A search in progress. */
struct tm_probe {
    uint32_t hash, at;
};

/* Makes the index ready for its first key, unless it is already. */
static inline void tm_index_seed(struct tm_index *index)
{
    if (index->seed == 0)
        index->seed = tm_secret();
}

/* Returns the hash of a key. An index that was not seeded is empty, so any hash is right for it. */
static inline uint64_t tm_index_hash_u64(const struct tm_index *index, uint64_t key)
{
    return tm_keyed_u64(index->seed, key);
}

static inline uint64_t tm_index_hash_bytes(const struct tm_index *index, const void *data, size_t len)
{
    return tm_keyed_bytes(index->seed, data, len);
}

/* Extends HASH, the hash of the first part of a key, by NUMBER. */
static inline uint64_t tm_index_hash_more(const struct tm_index *index, uint64_t hash, uint64_t number)
{
    return tm_keyed_u64(index->seed, hash ^ tm_keyed_u64(~index->seed, number));
}

static inline struct tm_probe tm_probe(const struct tm_index *index, uint64_t hash)
{
    return (struct tm_probe){(uint32_t)hash, (uint32_t)hash & index->mask};
}

/* Returns the next row whose hash is that of PROBE, or TM_INDEX_NONE. */
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

/* Adds ROW (below 2^30) under HASH. TM_OK; TM_E_SYSTEM if out of memory: nothing has changed. */
enum tm_status tm_index_add(struct tm_index *index, uint64_t hash, uint32_t row);

/* Changes ROW, which was added under HASH, to TO. */
void tm_index_change(struct tm_index *index, uint64_t hash, uint32_t row, uint32_t to);

/* Forgets all rows and keeps the memory. */
void tm_index_clear(struct tm_index *index);

void tm_index_release(struct tm_index *index);

#endif
