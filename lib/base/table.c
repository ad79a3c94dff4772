#include "base/table.h"

#include "base/secret.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE_FIRST = 64,
    ARRAY_FIRST = 1, /* many arrays belong to one track and hold one slice */
    ARRAY_LARGE_BYTES = 1 << 20
};

struct tm_table_entry {
    struct tm_key key;
    int64_t value;
};

/* Where an entry is. Comparing the hash first avoids reading entries with other keys, each of which is a cache miss. */
struct tm_table_slot {
    uint32_t number; /* of the entry, plus 1; 0: the slot is empty */
    uint32_t hash;
};

static uint32_t hash_of(const struct tm_table *table, const struct tm_key *key)
{
    uint64_t hash = tm_keyed_u64(table->seed, key->a);
    hash = tm_keyed_u64(~table->seed, hash ^ key->b);
    return (uint32_t)tm_keyed_u64(table->seed, hash ^ (key->c << 1 | key->c >> 63));
}

static bool same(const struct tm_key *x, const struct tm_key *y)
{
    return x->a == y->a && x->b == y->b && x->c == y->c;
}

/* Returns the slot of KEY, whose hash is HASH, or the empty slot where it would go. The table has an empty slot. */
static struct tm_table_slot *slot_of(const struct tm_table *table, const struct tm_key *key, uint32_t hash)
{
    uint32_t mask = table->cap - 1, i = hash & mask;
    while (table->slots[i].number &&
           (table->slots[i].hash != hash || !same(&table->entries[table->slots[i].number - 1].key, key)))
        i = (i + 1) & mask;
    return &table->slots[i];
}

int64_t tm_table_find(const struct tm_table *table, const struct tm_key *key)
{
    if (table->cap == 0)
        return TM_TABLE_NONE;
    uint32_t number = slot_of(table, key, hash_of(table, key))->number;
    return number ? table->entries[number - 1].value : TM_TABLE_NONE;
}

void tm_table_prefetch(const struct tm_table *table, const struct tm_key *key)
{
    if (table->cap)
        tm_cpu_prefetch(&table->slots[hash_of(table, key) & (table->cap - 1)]);
}

/* Doubles the slots and enters all entries again. */
static enum tm_status widen(struct tm_table *table, struct tm_error *err)
{
    uint32_t cap = table->cap ? table->cap * 2 : TABLE_FIRST;
    struct tm_table_slot *slots = cap ? calloc(cap, sizeof *slots) : NULL;
    if (slots == NULL)
        return tm_error_nomem(err);
    free(table->slots);
    table->slots = slots;
    table->cap = cap;
    if (table->seed == 0)
        table->seed = tm_secret();
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t hash = hash_of(table, &table->entries[i].key);
        *slot_of(table, &table->entries[i].key, hash) = (struct tm_table_slot){i + 1, hash};
    }
    return TM_OK;
}

enum tm_status tm_table_set(struct tm_table *table, const struct tm_key *key, int64_t value, struct tm_error *err)
{
    enum tm_status st;
    if (table->count >= table->cap / 4 * 3 && (st = widen(table, err)) < 0)
        return st;
    uint32_t hash = hash_of(table, key);
    struct tm_table_slot *slot = slot_of(table, key, hash);
    if (slot->number) {
        table->entries[slot->number - 1].value = value;
        return TM_OK;
    }
    if ((st = tm_array_grow(&table->entries, &table->room, table->count, sizeof *table->entries, err)) < 0)
        return st;
    table->entries[table->count++] = (struct tm_table_entry){*key, value};
    *slot = (struct tm_table_slot){table->count, hash};
    return TM_OK;
}

/* Empties the slot HOLE. Moves back the slots after it that are not in their first place because another slot is there.
 */
static void empty_slot(struct tm_table *table, uint32_t hole)
{
    uint32_t mask = table->cap - 1;
    for (uint32_t i = (hole + 1) & mask; table->slots[i].number; i = (i + 1) & mask) {
        uint32_t home = table->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = (struct tm_table_slot){0};
}

void tm_table_remove(struct tm_table *table, const struct tm_key *key)
{
    if (table->cap == 0)
        return;
    struct tm_table_slot *slot = slot_of(table, key, hash_of(table, key));
    uint32_t number = slot->number;
    if (number == 0)
        return;
    struct tm_table_entry *last = &table->entries[table->count - 1];
    slot_of(table, &last->key, hash_of(table, &last->key))->number = number; /* the last entry takes its place */
    slot->number = table->count;
    struct tm_table_entry removed = table->entries[number - 1];
    table->entries[number - 1] = *last;
    *last = removed;
    empty_slot(table, (uint32_t)(slot - table->slots));
    table->count--;
}

void tm_table_clear(struct tm_table *table)
{
    if (table->count)
        memset(table->slots, 0, (size_t)table->cap * sizeof *table->slots);
    table->count = 0;
}

void tm_table_release(struct tm_table *table)
{
    free(table->entries);
    free(table->slots);
    *table = (struct tm_table){0};
}

enum tm_status tm_array_widen(void *array, uint32_t *cap, uint32_t count, size_t size, struct tm_error *err)
{
    void *old, *more;
    if (count > UINT32_MAX / 2)
        return tm_error_set(err, TM_E_SYSTEM, "more than %u entries of a table", *cap);
    uint32_t want = *cap ? *cap : ARRAY_FIRST;
    while (want <= count)
        want += want * size < ARRAY_LARGE_BYTES ? want : want / 8 + 1;
    memcpy(&old, array, sizeof old);
    more = realloc(old, want * size);
    if (more == NULL)
        return tm_error_nomem(err);
    memset((char *)more + *cap * size, 0, (want - *cap) * size);
    memcpy(array, &more, sizeof more);
    *cap = want;
    /* The memory is stored in *ARRAY by memcpy. */
    /* cppcheck-suppress memleak */
    return TM_OK;
}
