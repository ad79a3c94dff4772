#include "emit/perfetto/merge_keys.h"

#include "base/hash.h"

static uint32_t hash_of(uint32_t order, struct tm_text name)
{
    return (uint32_t)tm_hash64_seed(name.data ? (const void *)name.data : "", name.len, order);
}

static uint64_t key_of(uint32_t hash)
{
    return tm_hash_u64(hash) | 1;
}

uint64_t tm_merge_key_of(uint32_t order, struct tm_text name)
{
    return key_of(hash_of(order, name));
}

enum tm_status tm_merge_keys_note(struct tm_merge_keys *keys, uint64_t uuid, uint32_t order, struct tm_text name)
{
    return tm_map_add(&keys->tracks, uuid, hash_of(order, name)) < 0 ? TM_E_SYSTEM : TM_OK;
}

uint64_t tm_merge_keys_find(const struct tm_merge_keys *keys, uint64_t uuid)
{
    uint32_t hash;
    return keys->tracks.count && tm_map_find(&keys->tracks, uuid, &hash) ? key_of(hash) : 0;
}

void tm_merge_keys_release(struct tm_merge_keys *keys)
{
    tm_map_release(&keys->tracks);
}
