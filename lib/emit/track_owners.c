#include "emit/track_owners.h"

#include "base/hash.h"
#include "base/table.h"

#include <stdlib.h>

static uint64_t number_key(int64_t raw_id, bool is_thread, int64_t number)
{
    return tm_hash_u64(tm_hash_u64(tm_hash_u64(is_thread ? 4 : 3) ^ (uint64_t)raw_id) ^ (uint64_t)number);
}

static uint32_t lifetimes_of(const struct tm_track_owners *owners, uint64_t key)
{
    uint32_t lifetimes;
    return tm_map_find(&owners->lifetimes, key, &lifetimes) ? lifetimes : 0;
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
    if (owners->lifetimes.count)
        task.life = lifetimes_of(owners, number_key(raw_id, false, pid)) +
                    (is_thread ? lifetimes_of(owners, number_key(raw_id, true, tid)) : 0);
    return task;
}

enum tm_status tm_track_owners_end(struct tm_track_owners *owners, int64_t raw_id, bool is_thread, int64_t number)
{
    uint64_t key = number_key(raw_id, is_thread, number);
    owners->changes++;
    return tm_map_set(&owners->lifetimes, key, lifetimes_of(owners, key) + 1);
}

const struct tm_track_owner *tm_track_owners_find(const struct tm_track_owners *owners, struct tm_track_task task)
{
    uint32_t row;
    bool is_there = tm_map_find(&owners->row_of, task.key, &row) && owners->rows[row].life == task.life;
    return is_there ? &owners->rows[row] : NULL;
}

enum tm_status tm_track_owners_set(struct tm_track_owners *owners, struct tm_track_task task,
                                   struct tm_track_owner owner)
{
    uint32_t row;
    owners->changes++;
    if (!tm_map_find(&owners->row_of, task.key, &row)) {
        row = owners->count;
        if (tm_array_grow(&owners->rows, &owners->cap, row, sizeof *owners->rows, NULL) < 0 ||
            tm_map_set(&owners->row_of, task.key, row) < 0)
            return TM_E_SYSTEM;
        owners->count++;
    }
    owner.life = task.life;
    owners->rows[row] = owner;
    return TM_OK;
}

/* Returns the owner of TASK to be changed, or NULL. */
static struct tm_track_owner *owner_of(struct tm_track_owners *owners, struct tm_track_task task)
{
    const struct tm_track_owner *owner = tm_track_owners_find(owners, task);
    return owner ? &owners->rows[owner - owners->rows] : NULL;
}

void tm_track_owners_set_made(struct tm_track_owners *owners, struct tm_track_task task)
{
    struct tm_track_owner *owner = owner_of(owners, task);
    if (owner)
        owner->is_made = true;
}

void tm_track_owners_set_named(struct tm_track_owners *owners, struct tm_track_task task)
{
    struct tm_track_owner *owner = owner_of(owners, task);
    if (owner)
        owner->is_named = true;
}

void tm_track_owners_release(struct tm_track_owners *owners)
{
    free(owners->rows);
    tm_map_release(&owners->row_of);
    tm_map_release(&owners->lifetimes);
    *owners = (struct tm_track_owners){0};
}
