/* A map from keys of three numbers to a number, by open addressing. Zero-initialise. It grows with its keys, each of
 * which takes about 50 bytes. Hashes are keyed by tm_secret(). */
#ifndef TM_BASE_TABLE_H
#define TM_BASE_TABLE_H

#include "base/status.h"

#include <stdint.h>

struct tm_key {
    uint64_t a, b, c;
};

enum { TM_TABLE_NONE = -1 };

struct tm_table {
    uint32_t count;
    /* private */
    struct tm_table_entry *entries; /* COUNT of them, without gaps */
    uint32_t room;                  /* entries that fit */
    uint32_t cap;                   /* slots: a power of two, or 0 */
    struct tm_table_slot *slots;    /* CAP of them */
    uint64_t seed;
};

/* Returns the number of KEY, or TM_TABLE_NONE. */
int64_t tm_table_find(const struct tm_table *table, const struct tm_key *key);

/* Loads the place of KEY, so that a search soon after takes less time. */
void tm_table_prefetch(const struct tm_table *table, const struct tm_key *key);

/* Sets KEY to VALUE (0 or above). TM_OK or TM_E_SYSTEM. */
enum tm_status tm_table_set(struct tm_table *table, const struct tm_key *key, int64_t value, struct tm_error *err);

/* Removes KEY, if it is there. */
void tm_table_remove(struct tm_table *table, const struct tm_key *key);

/* Removes all keys and keeps the memory. */
void tm_table_clear(struct tm_table *table);

void tm_table_release(struct tm_table *table);

/* The slow path of tm_array_grow, if there is no room. */
enum tm_status tm_array_widen(void *array, uint32_t *cap, uint32_t count, size_t size, struct tm_error *err);

/* Makes room for one more element of SIZE bytes in the array at *ARRAY, which has COUNT elements and room for *CAP. New
 * room is zeroed. A small array doubles; one of a MiB or more grows by an eighth, because the room counts as memory in
 * use. TM_OK, or TM_E_SYSTEM with the array unchanged. */
static inline enum tm_status tm_array_grow(void *array, uint32_t *cap, uint32_t count, size_t size,
                                           struct tm_error *err)
{
    return count < *cap ? TM_OK : tm_array_widen(array, cap, count, size, err);
}

#endif
