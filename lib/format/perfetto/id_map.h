/* A table from a pair of numbers to two numbers: interned ids, sequences, counters. Open addressing, with a limit on
 * its entries. Zero-initialise. */
#ifndef TM_FORMAT_PERFETTO_ID_MAP_H
#define TM_FORMAT_PERFETTO_ID_MAP_H

#include "base/cpu.h"
#include "base/secret.h"
#include "base/status.h"

struct tm_proto_map_entry {
    uint32_t k1;
    uint32_t stamp; /* the slot is used if this equals the table's stamp */
    uint64_t k2;
    uint64_t v1;
    uint64_t v2;
};

struct tm_proto_map {
    uint32_t count;
    uint32_t refused; /* calls of tm_proto_map_add that found the table full */
    /* private */
    uint32_t mask; /* slots - 1 */
    uint32_t stamp;
    uint64_t seed;
    struct tm_proto_map_entry *slots;
};

static inline uint32_t tm_proto_map_hash(const struct tm_proto_map *map, uint32_t k1, uint64_t k2)
{
    return (uint32_t)tm_keyed_u64(~map->seed, tm_keyed_u64(map->seed, k2) ^ k1);
}

/* Returns the entry of (K1, K2) or NULL. It is valid until the next add. */
static inline struct tm_proto_map_entry *tm_proto_map_find(const struct tm_proto_map *map, uint32_t k1, uint64_t k2)
{
    if (map->slots == NULL)
        return NULL;
    for (uint32_t at = tm_proto_map_hash(map, k1, k2);; at++) {
        struct tm_proto_map_entry *entry = &map->slots[at & map->mask];
        if (entry->stamp != map->stamp)
            return NULL;
        if (entry->k2 == k2 && entry->k1 == k1)
            return entry;
    }
}

/* Fetches the entry of (K1, K2) into the processor's cache. Large tables are not in it. */
static inline void tm_proto_map_prefetch(const struct tm_proto_map *map, uint32_t k1, uint64_t k2)
{
    if (map->slots)
        tm_cpu_prefetch(&map->slots[tm_proto_map_hash(map, k1, k2) & map->mask]);
}

/* Finds the entry of (K1, K2) or makes one with zero values. TM_OK; TM_END: there are COUNT_MAX entries already;
 * TM_E_SYSTEM: no memory. */
enum tm_status tm_proto_map_add(struct tm_proto_map *map, uint32_t k1, uint64_t k2, uint32_t count_max,
                                struct tm_proto_map_entry **entry);

/* Lists all entries in the order of their keys. *ENTRIES becomes an array of MAP->count, which the caller frees. TM_OK
 * or TM_E_SYSTEM. */
enum tm_status tm_proto_map_list(const struct tm_proto_map *map, struct tm_proto_map_entry **entries);

/* Removes all entries in constant time; keeps the memory of small tables, and the count of refused calls. */
void tm_proto_map_clear(struct tm_proto_map *map);

void tm_proto_map_release(struct tm_proto_map *map);

#endif
