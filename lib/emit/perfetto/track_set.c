#include "emit/perfetto/track_set.h"

#include <stdlib.h>

enum tm_status tm_track_set_add(struct tm_track_set *set, uint64_t key)
{
    if (set->slots == NULL || set->count >= set->mask / 2) {
        uint32_t n = set->slots ? (set->mask + 1) * 2 : 256;
        uint64_t *slots = calloc(n, sizeof *slots);
        if (slots == NULL)
            return TM_E_SYSTEM;
        for (uint32_t i = 0; set->slots && i <= set->mask; i++) {
            if (set->slots[i] == 0)
                continue;
            uint32_t at = (uint32_t)set->slots[i] & (n - 1);
            while (slots[at])
                at = (at + 1) & (n - 1);
            slots[at] = set->slots[i];
        }
        free(set->slots);
        set->slots = slots;
        set->mask = n - 1;
    }
    uint32_t at = (uint32_t)key & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (set->slots[at] == key)
            return TM_END;
    set->slots[at] = key;
    set->count++;
    return TM_OK;
}

bool tm_track_set_has(const struct tm_track_set *set, uint64_t key)
{
    if (set->slots == NULL)
        return false;
    uint32_t at = (uint32_t)key & set->mask;
    while (set->slots[at] && set->slots[at] != key)
        at = (at + 1) & set->mask;
    return set->slots[at] == key;
}

void tm_track_set_release(struct tm_track_set *set)
{
    free(set->slots);
    *set = (struct tm_track_set){0};
}
