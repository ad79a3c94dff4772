#include "base/table.h"

#include "base/secret.h"

#include <stdlib.h>
#include <string.h>

enum {
    TABLE_FIRST = 64,
    ARRAY_FIRST = 1 /* many arrays belong to one track and hold one slice */
};

struct tm_table_slot {
    struct tm_key key;
    int64_t value; /* plus one; 0: the slot is empty */
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

/* Returns the slot of KEY, or the empty slot where KEY would go. The table has an empty slot. */
static uint32_t slot_of(const struct tm_table *table, const struct tm_key *key)
{
    uint32_t mask = table->cap - 1, i = hash_of(table, key) & mask;
    while (table->slots[i].value && !same(&table->slots[i].key, key))
        i = (i + 1) & mask;
    return i;
}

int64_t tm_table_find(const struct tm_table *table, const struct tm_key *key)
{
    return table->cap ? table->slots[slot_of(table, key)].value - 1 : TM_TABLE_NONE;
}

static enum tm_status widen(struct tm_table *table, struct tm_error *err)
{
    struct tm_table wide = {.count = table->count, .cap = table->cap ? table->cap * 2 : TABLE_FIRST,
                            .seed = table->seed ? table->seed : tm_secret()};
    if (wide.cap == 0 || (wide.slots = calloc(wide.cap, sizeof *wide.slots)) == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < table->cap; i++)
        if (table->slots[i].value)
            wide.slots[slot_of(&wide, &table->slots[i].key)] = table->slots[i];
    struct tm_table_slot *old = table->slots;
    table->slots = wide.slots;
    table->cap = wide.cap;
    table->seed = wide.seed;
    free(old);
    return TM_OK;
}

enum tm_status tm_table_set(struct tm_table *table, const struct tm_key *key, int64_t value, struct tm_error *err)
{
    if (table->count >= table->cap / 4 * 3) {
        enum tm_status st = widen(table, err);
        if (st < 0)
            return st;
    }
    struct tm_table_slot *slot = &table->slots[slot_of(table, key)];
    if (!slot->value)
        table->count++;
    slot->key = *key;
    slot->value = value + 1;
    return TM_OK;
}

void tm_table_remove(struct tm_table *table, const struct tm_key *key)
{
    if (table->cap == 0)
        return;
    uint32_t mask = table->cap - 1, hole = slot_of(table, key);
    if (!table->slots[hole].value)
        return;
    table->count--;
    /* Moves back entries that stand further on because the hole was taken. */
    for (uint32_t i = (hole + 1) & mask; table->slots[i].value; i = (i + 1) & mask) {
        uint32_t home = hash_of(table, &table->slots[i].key) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole].value = 0;
}

void tm_table_clear(struct tm_table *table)
{
    if (table->cap)
        memset(table->slots, 0, (size_t)table->cap * sizeof *table->slots);
    table->count = 0;
}

void tm_table_release(struct tm_table *table)
{
    free(table->slots);
    *table = (struct tm_table){0};
}

enum tm_status tm_array_grow(void *array, uint32_t *cap, uint32_t count, size_t size, struct tm_error *err)
{
    void *old, *more;
    if (count < *cap)
        return TM_OK;
    if (count > UINT32_MAX / 2)
        return tm_error_set(err, TM_E_SYSTEM, "more than %u of one thing", *cap);
    uint32_t want = *cap ? *cap : ARRAY_FIRST;
    while (want <= count)
        want *= 2;
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
