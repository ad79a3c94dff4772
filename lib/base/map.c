#include "base/map.h"

#include "base/secret.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_FIRST_SLOTS = 16, MAP_SLOTS_MAX = 1 << 30 };

static uint32_t slot_of(const struct tm_map *map, uint64_t key)
{
    uint32_t at = (uint32_t)tm_keyed_u64(map->seed, key) & (map->slot_count - 1);
    while (map->slots[at].is_used && map->slots[at].key != key)
        at = (at + 1) & (map->slot_count - 1);
    return at;
}

bool tm_map_find(const struct tm_map *map, uint64_t key, uint32_t *value)
{
    if (map->slot_count == 0)
        return false;
    const struct tm_map_slot *slot = &map->slots[slot_of(map, key)];
    if (slot->is_used)
        *value = slot->value;
    return slot->is_used;
}

static enum tm_status grow(struct tm_map *map)
{
    struct tm_map wider = {.slot_count = map->slot_count ? map->slot_count * 2 : MAP_FIRST_SLOTS, .count = map->count,
                          .seed = map->seed ? map->seed : tm_secret()};
    if (wider.slot_count > MAP_SLOTS_MAX || (wider.slots = calloc(wider.slot_count, sizeof *wider.slots)) == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; i < map->slot_count; i++)
        if (map->slots[i].is_used)
            wider.slots[slot_of(&wider, map->slots[i].key)] = map->slots[i];
    free(map->slots);
    *map = wider;
    return TM_OK;
}

enum tm_status tm_map_set(struct tm_map *map, uint64_t key, uint32_t value)
{
    if (map->count >= map->slot_count / 2 && grow(map) != TM_OK)
        return TM_E_SYSTEM;
    struct tm_map_slot *slot = &map->slots[slot_of(map, key)];
    map->count += !slot->is_used;
    *slot = (struct tm_map_slot){.key = key, .value = value, .is_used = true};
    return TM_OK;
}

enum tm_status tm_map_add(struct tm_map *map, uint64_t key, uint32_t value)
{
    uint32_t there;
    if (tm_map_find(map, key, &there))
        return TM_END;
    return tm_map_set(map, key, value);
}

void tm_map_clear(struct tm_map *map)
{
    if (map->count)
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    map->count = 0;
}

void tm_map_release(struct tm_map *map)
{
    free(map->slots);
    *map = (struct tm_map){0};
}
