#include "base/map.h"

#include "base/secret.h"

#include <stdlib.h>
#include <string.h>

enum { MAP_FIRST_SLOTS = 16, MAP_SLOTS_MAX = 1 << 30 };

static uint32_t slot_of(const struct tm_map *map, uint64_t key)
{
    uint32_t at = (uint32_t)tm_keyed_u64(map->seed, key) & (map->slots - 1);
    while (map->used[at] && map->keys[at] != key)
        at = (at + 1) & (map->slots - 1);
    return at;
}

bool tm_map_find(const struct tm_map *map, uint64_t key, uint32_t *value)
{
    if (map->slots == 0)
        return false;
    uint32_t at = slot_of(map, key);
    if (map->used[at])
        *value = map->values[at];
    return map->used[at];
}

static enum tm_status grow(struct tm_map *map)
{
    struct tm_map wider = {.slots = map->slots ? map->slots * 2 : MAP_FIRST_SLOTS, .count = map->count,
                          .seed = map->seed ? map->seed : tm_secret()};
    if (wider.slots > MAP_SLOTS_MAX)
        return TM_E_SYSTEM;
    wider.keys = malloc(wider.slots * sizeof *wider.keys);
    wider.values = malloc(wider.slots * sizeof *wider.values);
    wider.used = calloc(wider.slots, sizeof *wider.used);
    if (wider.keys == NULL || wider.values == NULL || wider.used == NULL) {
        tm_map_release(&wider);
        return TM_E_SYSTEM;
    }
    for (uint32_t i = 0; i < map->slots; i++) {
        if (!map->used[i])
            continue;
        uint32_t at = slot_of(&wider, map->keys[i]);
        wider.used[at] = 1;
        wider.keys[at] = map->keys[i];
        wider.values[at] = map->values[i];
    }
    struct tm_map old = *map;
    *map = wider;
    tm_map_release(&old);
    return TM_OK;
}

enum tm_status tm_map_set(struct tm_map *map, uint64_t key, uint32_t value)
{
    if (map->count >= map->slots / 2 && grow(map) != TM_OK)
        return TM_E_SYSTEM;
    uint32_t at = slot_of(map, key);
    map->count += !map->used[at];
    map->used[at] = 1;
    map->keys[at] = key;
    map->values[at] = value;
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
        memset(map->used, 0, map->slots);
    map->count = 0;
}

void tm_map_release(struct tm_map *map)
{
    free(map->keys);
    free(map->values);
    free(map->used);
    *map = (struct tm_map){0};
}
