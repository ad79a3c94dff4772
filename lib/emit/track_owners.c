#include "emit/track_owners.h"

#include "base/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

static uint64_t number_key(int64_t raw_id, bool is_thread, int64_t number)
{
    return tm_hash_u64(tm_hash_u64(tm_hash_u64(is_thread ? 4 : 3) ^ (uint64_t)raw_id) ^ (uint64_t)number);
}

static uint32_t lives_of(const struct tm_track_owners *owners, uint64_t key)
{
    uint32_t lives;
    return tm_map_find(&owners->lives, key, &lives) ? lives : 0;
}

struct tm_track_task tm_track_task_of(const struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t pid,
                                      int64_t tid)
{
    struct tm_track_task task = {tm_hash_u64(is_thread ? 2 : 1), 0};
    task.key = tm_hash_u64(task.key ^ (uint64_t)raw_id);
    task.key = tm_hash_u64(task.key ^ (uint64_t)pid);
    if (is_thread)
        task.key = tm_hash_u64(task.key ^ (uint64_t)tid);
    if (task.key == 0)
        task.key = 1;
    if (owners->lives.count)
        task.life = lives_of(owners, number_key(raw_id, false, pid)) +
                    (is_thread ? lives_of(owners, number_key(raw_id, true, tid)) : 0);
    return task;
}

enum tm_status tm_track_owners_end(struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t number)
{
    uint64_t key = number_key(raw_id, is_thread, number);
    return tm_map_set(&owners->lives, key, lives_of(owners, key) + 1);
}

/* The slot of KEY, or the empty one where it would be. */
static uint32_t slot_of(const struct tm_track_owner *slots, uint32_t mask, uint64_t key)
{
    uint32_t at = (uint32_t)key & mask;
    while (slots[at].key && slots[at].key != key)
        at = (at + 1) & mask;
    return at;
}

const struct tm_track_owner *tm_track_owners_find(const struct tm_track_owners *owners, struct tm_track_task task)
{
    if (owners->slots == NULL)
        return NULL;
    const struct tm_track_owner *slot = &owners->slots[slot_of(owners->slots, owners->mask, task.key)];
    return slot->key && slot->life == task.life ? slot : NULL;
}

enum tm_status tm_track_owners_set(struct tm_track_owners *owners, struct tm_track_task task, uint64_t uuid,
                                   uint32_t file)
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
    struct tm_track_owner *slot = &owners->slots[slot_of(owners->slots, owners->mask, task.key)];
    owners->count += slot->key == 0;
    *slot = (struct tm_track_owner){task.key, uuid, file, task.life};
    return TM_OK;
}

void tm_track_owners_release(struct tm_track_owners *owners)
{
    free(owners->slots);
    tm_map_release(&owners->lives);
    *owners = (struct tm_track_owners){0};
}
