#include "format/perfetto/id_map.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32, KEEP_SLOTS = 1 << 14 };

static struct tm_proto_map_entry *free_slot(const struct tm_proto_map *map, uint32_t k1, uint64_t k2)
{
    uint32_t at = tm_proto_map_hash(map, k1, k2);
    while (map->slots[at & map->mask].stamp == map->stamp)
        at++;
    return &map->slots[at & map->mask];
}

static enum tm_status grow(struct tm_proto_map *map)
{
    struct tm_proto_map old = *map;
    size_t count = old.slots ? ((size_t)old.mask + 1) * 2 : FIRST_SLOTS;
    struct tm_proto_map_entry *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return TM_E_SYSTEM;
    *map = (struct tm_proto_map){.count = old.count,
                                 .refused = old.refused,
                                 .mask = (uint32_t)(count - 1),
                                 .stamp = 1,
                                 .seed = old.seed ? old.seed : tm_secret(),
                                 .slots = slots};
    for (size_t i = 0; old.slots && i <= old.mask; i++) {
        if (old.slots[i].stamp != old.stamp)
            continue;
        struct tm_proto_map_entry *to = free_slot(map, old.slots[i].k1, old.slots[i].k2);
        *to = old.slots[i];
        to->stamp = map->stamp;
    }
    free(old.slots);
    return TM_OK;
}

enum tm_status tm_proto_map_add(struct tm_proto_map *map, uint32_t k1, uint64_t k2, uint32_t count_max,
                                struct tm_proto_map_entry **entry)
{
    *entry = tm_proto_map_find(map, k1, k2);
    if (*entry)
        return TM_OK;
    if (map->count >= count_max) {
        map->refused++;
        return TM_END;
    }
    if ((map->slots == NULL || map->count > map->mask / 2) && grow(map) != TM_OK)
        return TM_E_SYSTEM;
    *entry = free_slot(map, k1, k2);
    **entry = (struct tm_proto_map_entry){.k1 = k1, .k2 = k2, .stamp = map->stamp};
    map->count++;
    return TM_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct tm_proto_map_entry *x = a, *y = b;
    if (x->k1 != y->k1)
        return x->k1 < y->k1 ? -1 : 1;
    return x->k2 < y->k2 ? -1 : x->k2 > y->k2;
}

enum tm_status tm_proto_map_list(const struct tm_proto_map *map, struct tm_proto_map_entry **entries)
{
    uint32_t n = 0;
    *entries = malloc((size_t)(map->count ? map->count : 1) * sizeof **entries);
    if (*entries == NULL)
        return TM_E_SYSTEM;
    for (uint32_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].stamp == map->stamp)
            (*entries)[n++] = map->slots[i];
    qsort(*entries, n, sizeof **entries, by_key);
    return TM_OK;
}

void tm_proto_map_clear(struct tm_proto_map *map)
{
    const uint32_t refused = map->refused;
    map->count = 0;
    if (map->slots == NULL)
        return;
    if (map->mask >= KEEP_SLOTS || map->stamp == UINT32_MAX)
        tm_proto_map_release(map);
    else
        map->stamp++;
    map->refused = refused;
}

void tm_proto_map_release(struct tm_proto_map *map)
{
    free(map->slots);
    *map = (struct tm_proto_map){0};
}
