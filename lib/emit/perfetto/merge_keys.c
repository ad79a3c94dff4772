#include "emit/perfetto/merge_keys.h"

#include "base/hash.h"

enum tm_status tm_merge_keys_note(struct tm_merge_keys *keys, uint64_t uuid, uint32_t order, struct tm_text name)
{
    const uint64_t hash = tm_hash64_seed(name.data ? (const void *)name.data : "", name.len, order);
    return tm_map_add(&keys->tracks, uuid, (uint32_t)hash) < 0 ? TM_E_SYSTEM : TM_OK;
}

uint64_t tm_merge_keys_find(const struct tm_merge_keys *keys, uint64_t uuid)
{
    uint32_t hash;
    return keys->tracks.count && tm_map_find(&keys->tracks, uuid, &hash) ? tm_hash_u64(hash) | 1 : 0;
}

void tm_merge_keys_release(struct tm_merge_keys *keys)
{
    tm_map_release(&keys->tracks);
}
