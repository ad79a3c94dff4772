#include "base/index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32, SLOTS_MAX = 1 << 30 };

static void put(uint64_t *slots, uint32_t mask, uint64_t slot)
{
    uint32_t at = (uint32_t)(slot >> 32) & mask;
    while (slots[at])
        at = (at + 1) & mask;
    slots[at] = slot;
}

static enum tm_status grow(struct tm_index *index)
{
    uint32_t count = index->slots ? (index->mask + 1) * 2 : FIRST_SLOTS;
    uint64_t *slots = count > SLOTS_MAX ? NULL : calloc(count, sizeof *slots);
    if (slots == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; index->slots && i <= index->mask; i++)
        if (index->slots[i])
            put(slots, count - 1, index->slots[i]);
    free(index->slots);
    index->slots = slots;
    index->mask = count - 1;
    return TM_OK;
}

enum tm_status tm_index_add(struct tm_index *index, uint64_t hash, uint32_t row)
{
    if ((index->slots == NULL || index->count > index->mask / 4 * 3) && grow(index) != TM_OK)
        return TM_E_SYSTEM;
    put(index->slots, index->mask, hash << 32 | (row + 1));
    index->count++;
    return TM_OK;
}

void tm_index_change(struct tm_index *index, uint64_t hash, uint32_t row, uint32_t to)
{
    uint32_t at = (uint32_t)hash & index->mask;
    while (index->slots[at] != (hash << 32 | (row + 1)))
        at = (at + 1) & index->mask;
    index->slots[at] = hash << 32 | (to + 1);
}

void tm_index_clear(struct tm_index *index)
{
    if (index->count)
        memset(index->slots, 0, ((size_t)index->mask + 1) * sizeof *index->slots);
    index->count = 0;
}

void tm_index_release(struct tm_index *index)
{
    free(index->slots);
    *index = (struct tm_index){0};
}
