#include "emit/track_owners.h"

#include "base/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

uint64_t tm_track_owner_key(int64_t raw_id, bool is_thread, int64_t pid, int64_t tid)
{
    uint64_t h = tm_hash_u64(is_thread ? 2 : 1);
    h = tm_hash_u64(h ^ (uint64_t)raw_id);
    h = tm_hash_u64(h ^ (uint64_t)pid);
    if (is_thread)
        h = tm_hash_u64(h ^ (uint64_t)tid);
    return h ? h : 1;
}

/* The slot of KEY, or the empty one where it would be. */
static uint32_t slot_of(const struct tm_track_owner *slots, uint32_t mask, uint64_t key)
{
    uint32_t at = (uint32_t)key & mask;
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & mask;
    return at;
}

const struct tm_track_owner *tm_track_owners_find(const struct tm_track_owners *owners, uint64_t key)
{
    if (owners->slots == NULL)
        return NULL;
    const struct tm_track_owner *slot = &owners->slots[slot_of(owners->slots, owners->mask, key)];
    return slot->key ? slot : NULL;
}

enum tm_status tm_track_owners_add(struct tm_track_owners *owners, uint64_t key, uint64_t uuid, uint32_t file)
{
    if (owners->slots == NULL || owners->count >= owners->mask / 2) {
        uint32_t n = owners->slots ? (owners->mask + 1) * 2 : FIRST_SLOTS;
        struct tm_track_owner *slots = calloc(n, sizeof *slots);
        if (slots == NULL)
            return TM_E_SYSTEM;
        for (uint32_t i = 0; owners->slots && i <= owners->mask; i++)
            if (owners->slots[i].key)
                slots[slot_of(slots, n - 1, owners->slots[i].key)] = owners->slots[i];
        free(owners->slots);
        owners->slots = slots;
        owners->mask = n - 1;
    }
    owners->slots[slot_of(owners->slots, owners->mask, key)] = (struct tm_track_owner){key, uuid, file};
    owners->count++;
    return TM_OK;
}

void tm_track_owners_release(struct tm_track_owners *owners)
{
    free(owners->slots);
    *owners = (struct tm_track_owners){0};
}
