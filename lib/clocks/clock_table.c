#include "clocks/clock_table.h"

#include "base/hash.h"

#include <stdlib.h>

enum { TABLE_FIRST = 64 };

const char *tm_clock_name(uint32_t clock)
{
    static const char *const names[] = {
        [TM_CLOCK_REALTIME] = "REALTIME",
        [TM_CLOCK_REALTIME_COARSE] = "REALTIME_COARSE",
        [TM_CLOCK_MONOTONIC] = "MONOTONIC",
        [4] = "MONOTONIC_COARSE",
        [5] = "MONOTONIC_RAW",
        [TM_CLOCK_BOOTTIME] = "BOOTTIME",
        [9] = "TSC",
        [10] = "PERF",
        [TM_CLOCK_TRACE_FILE] = "TRACE_FILE",
    };
    return clock < sizeof names / sizeof *names ? names[clock] : NULL;
}

bool tm_clock_key_less(const struct tm_clock_key *a, const struct tm_clock_key *b)
{
    if (a->clock != b->clock)
        return a->clock < b->clock;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence;
    if (a->tag != b->tag)
        return a->tag < b->tag;
    return a->machine < b->machine;
}

bool tm_clock_key_equal(const struct tm_clock_key *a, const struct tm_clock_key *b)
{
    return a->clock == b->clock && a->sequence == b->sequence && a->tag == b->tag && a->machine == b->machine;
}

static uint32_t slot_of(const struct tm_clock_table *table, const struct tm_clock_key *key)
{
    uint64_t hash = tm_hash_u64((uint64_t)key->machine << 32 | key->tag);
    hash = tm_hash_u64(hash ^ ((uint64_t)key->sequence << 32 | key->clock));
    uint32_t at = (uint32_t)hash & (table->slot_count - 1);
    while (table->slots[at] && !tm_clock_key_equal(&table->clocks[table->slots[at] - 1].key, key))
        at = (at + 1) & (table->slot_count - 1);
    return at;
}

bool tm_clock_table_find(const struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index)
{
    uint32_t at = table->count ? slot_of(table, key) : 0;
    if (table->count == 0 || table->slots[at] == 0)
        return false;
    *index = table->slots[at] - 1;
    return true;
}

static enum tm_status grow(struct tm_clock_table *table, struct tm_error *err)
{
    uint32_t cap = table->cap ? table->cap * 2 : TABLE_FIRST;
    struct tm_clock *clocks = realloc(table->clocks, cap * sizeof *clocks);
    if (clocks == NULL)
        return tm_error_nomem(err);
    table->clocks = clocks;
    uint32_t *slots = calloc((size_t)cap * 2, sizeof *slots);
    if (slots == NULL)
        return tm_error_nomem(err);
    free(table->slots);
    table->slots = slots;
    table->slot_count = cap * 2;
    table->cap = cap;
    for (uint32_t i = 0; i < table->count; i++)
        table->slots[slot_of(table, &table->clocks[i].key)] = i + 1;
    return TM_OK;
}

enum tm_status tm_clock_table_add(struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index,
                                  struct tm_error *err)
{
    if (tm_clock_table_find(table, key, index))
        return TM_OK;
    if (table->count >= TM_CLOCKS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d clocks", TM_CLOCKS_MAX);
    if (table->count == table->cap) {
        enum tm_status st = grow(table, err);
        if (st < 0)
            return st;
    }
    table->clocks[table->count] = (struct tm_clock){.key = *key, .unit_ns = 1};
    table->slots[slot_of(table, key)] = table->count + 1;
    *index = table->count++;
    return TM_OK;
}

void tm_clock_table_release(struct tm_clock_table *table)
{
    free(table->clocks);
    free(table->slots);
    *table = (struct tm_clock_table){0};
}
