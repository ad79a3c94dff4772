#include "clocks/clock_table.h"

#include <stdlib.h>

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

static struct tm_key key_of(const struct tm_clock_key *key)
{
    return (struct tm_key){(uint64_t)key->machine << 32 | key->tag, (uint64_t)key->sequence << 32 | key->clock, 0};
}

bool tm_clock_table_find(const struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index)
{
    struct tm_key numbers = key_of(key);
    int64_t found = tm_table_find(&table->by_key, &numbers);
    if (found != TM_TABLE_NONE)
        *index = (uint32_t)found;
    return found != TM_TABLE_NONE;
}

enum tm_status tm_clock_table_add(struct tm_clock_table *table, const struct tm_clock_key *key, uint32_t *index,
                                  struct tm_error *err)
{
    if (tm_clock_table_find(table, key, index))
        return TM_OK;
    if (table->count >= TM_CLOCKS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d clocks", TM_CLOCKS_MAX);
    struct tm_key numbers = key_of(key);
    enum tm_status st = tm_array_grow(&table->clocks, &table->cap, table->count, sizeof *table->clocks, err);
    if (st < 0 || (st = tm_table_set(&table->by_key, &numbers, table->count, err)) < 0)
        return st;
    table->clocks[table->count] = (struct tm_clock){.key = *key, .unit_ns = 1};
    *index = table->count++;
    return TM_OK;
}

void tm_clock_table_release(struct tm_clock_table *table)
{
    free(table->clocks);
    tm_table_release(&table->by_key);
    *table = (struct tm_clock_table){0};
}
