#include "model/seen_definitions.h"

#include "base/table.h"

#include <stdlib.h>

enum tm_status tm_seen_definitions_get(struct tm_seen_definitions *seen, const struct tm_seen_definition *key,
                                       struct tm_seen_definition **row, struct tm_error *err)
{
    tm_index_seed(&seen->index);
    uint64_t hash = tm_index_hash_u64(&seen->index, key->subject);
    hash = tm_index_hash_more(&seen->index, tm_index_hash_more(&seen->index, hash, key->place), key->kind);
    struct tm_probe probe = tm_probe(&seen->index, hash);
    for (uint32_t i; (i = tm_probe_next(&seen->index, &probe)) != TM_INDEX_NONE;) {
        *row = &seen->rows[i];
        if ((*row)->subject == key->subject && (*row)->place == key->place && (*row)->kind == key->kind)
            return TM_OK;
    }
    enum tm_status st = tm_array_grow(&seen->rows, &seen->cap, seen->count, sizeof *seen->rows, err);
    if (st < 0)
        return st;
    if (tm_index_add(&seen->index, hash, seen->count) < 0)
        return tm_error_nomem(err);
    *row = &seen->rows[seen->count++];
    **row = *key;
    return TM_OK;
}

void tm_seen_definitions_release(struct tm_seen_definitions *seen)
{
    free(seen->rows);
    tm_index_release(&seen->index);
    *seen = (struct tm_seen_definitions){0};
}
