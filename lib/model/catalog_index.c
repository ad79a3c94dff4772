#include "model/catalog_index.h"

#include "base/hash.h"

#include <stdlib.h>

enum { CATALOG_INDEX_FIRST = 16 };

uint64_t tm_account_hash(const Tracemerge__Account *m)
{
    uint64_t seed = tm_hash_u64(m->file) ^ m->clock;
    return tm_hash64_seed(m->reason.data, m->reason.len, m->has_machine ? tm_hash_u64(seed) ^ m->machine : seed);
}

static bool bytes_equal(const ProtobufCBinaryData *a, const ProtobufCBinaryData *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

bool tm_account_equal(const Tracemerge__Account *a, const Tracemerge__Account *b)
{
    return a->file == b->file && a->clock == b->clock && a->has_machine == b->has_machine &&
           (!a->has_machine || a->machine == b->machine) && bytes_equal(&a->reason, &b->reason);
}

uint64_t tm_stat_hash(const Tracemerge__Stat *m)
{
    uint64_t seed = m->has_idx ? tm_hash_u64((uint64_t)m->idx) : 1;
    seed = tm_hash_u64(seed ^ (m->has_machine ? (uint64_t)m->machine + 2 : 1));
    seed = tm_hash_u64(seed ^ (m->has_file ? (uint64_t)m->file + 2 : 1));
    return tm_hash64_seed(m->name.data, m->name.len, seed);
}

bool tm_stat_equal(const Tracemerge__Stat *a, const Tracemerge__Stat *b)
{
    return a->has_idx == b->has_idx && (!a->has_idx || a->idx == b->idx) && a->has_machine == b->has_machine &&
           (!a->has_machine || a->machine == b->machine) && a->has_file == b->has_file &&
           (!a->has_file || a->file == b->file) && bytes_equal(&a->name, &b->name);
}

void tm_catalog_index_put(struct tm_catalog_index *index, uint32_t n, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & index->mask;
    while (index->slots[i])
        i = (i + 1) & index->mask;
    index->slots[i] = n + 1;
}

enum tm_status tm_catalog_index_grow(struct tm_catalog_index *index, uint32_t count, struct tm_error *err)
{
    uint32_t size = index->slots ? index->mask + 1 : 0;
    if (size && count < size / 2)
        return TM_END;
    size = size ? size * 2 : CATALOG_INDEX_FIRST;
    uint32_t *slots = calloc(size, sizeof *slots);
    if (slots == NULL)
        return tm_error_nomem(err);
    free(index->slots);
    *index = (struct tm_catalog_index){slots, size - 1};
    return TM_OK;
}
