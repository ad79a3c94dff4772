/* A map from 64-bit keys to 32-bit values, by open addressing. Zero-initialise. Keys cannot be removed one by one.
 * Hashes are keyed by tm_secret(). */
#ifndef TM_BASE_MAP_H
#define TM_BASE_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_map {
    uint32_t count; /* of keys */
    /* private */
    struct tm_map_slot {
        uint64_t key;
        uint32_t value;
        bool is_used;
    } *slots;            /* key and value share a cache line: most finds in a large map are cache misses */
    uint32_t slot_count; /* a power of two, or 0 */
    uint64_t seed;
};

/* True, with *VALUE set, if KEY is there. */
bool tm_map_find(const struct tm_map *map, uint64_t key, uint32_t *value);

/* Sets KEY to VALUE. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_map_set(struct tm_map *map, uint64_t key, uint32_t value);

/* Adds KEY with VALUE if it is new. TM_OK: it was new. TM_END: it was there and keeps its value. TM_E_SYSTEM. */
enum tm_status tm_map_add(struct tm_map *map, uint64_t key, uint32_t value);

/* Forgets all keys and keeps the memory. */
void tm_map_clear(struct tm_map *map);

void tm_map_release(struct tm_map *map);

#endif
