#include "base/intern.h"

#include <stdlib.h>

enum { INTERN_FIRST = 128 };

void tm_intern_init(struct tm_intern *in, uint32_t count_max, size_t bytes_max)
{
    *in = (struct tm_intern){.count_max = count_max, .bytes_max = bytes_max};
}

const uint8_t *tm_intern_get(const struct tm_intern *in, uint32_t id, size_t *len)
{
    size_t start = id ? in->ends[id - 1] : 0;
    *len = in->ends[id] - start;
    return in->bytes.data ? in->bytes.data + start : (const uint8_t *)"";
}

static enum tm_status grow(struct tm_intern *in)
{
    size_t cap = in->ends_cap < INTERN_FIRST ? INTERN_FIRST : in->ends_cap + in->ends_cap / 4;
    size_t *ends = realloc(in->ends, cap * sizeof *ends);
    if (ends == NULL)
        return TM_E_SYSTEM;
    in->ends = ends;
    in->ends_cap = cap;
    return TM_OK;
}

static bool find(const struct tm_intern *in, uint64_t hash, const void *s, size_t len, uint32_t *id)
{
    struct tm_probe probe = tm_probe(&in->index, hash);
    for (uint32_t have; (have = tm_probe_next(&in->index, &probe)) != TM_INDEX_NONE;) {
        size_t n;
        const uint8_t *t = tm_intern_get(in, have, &n);
        if (n == len && (len == 0 || memcmp(s, t, len) == 0)) {
            *id = have;
            return true;
        }
    }
    return false;
}

bool tm_intern_find(const struct tm_intern *in, const void *s, size_t len, uint32_t *id)
{
    return find(in, tm_index_hash_bytes(&in->index, s, len), s, len, id);
}

enum tm_status tm_intern_add(struct tm_intern *in, const void *s, size_t len, uint32_t *id, bool *is_new)
{
    if (is_new)
        *is_new = false;
    tm_index_seed(&in->index);
    uint64_t hash = tm_index_hash_bytes(&in->index, s, len);
    if (find(in, hash, s, len, id))
        return TM_OK;
    if (in->count >= in->count_max || len > in->bytes_max - in->bytes.len)
        return TM_END;
    if (in->count == in->ends_cap && grow(in) != TM_OK)
        return TM_E_SYSTEM;
    size_t before = in->bytes.len;
    if (tm_buf_add(&in->bytes, s, len) != TM_OK)
        return TM_E_SYSTEM;
    if (tm_index_add(&in->index, hash, in->count) != TM_OK) {
        in->bytes.len = before;
        return TM_E_SYSTEM;
    }
    in->ends[in->count] = in->bytes.len;
    *id = in->count++;
    if (is_new)
        *is_new = true;
    return TM_OK;
}

void tm_intern_clear(struct tm_intern *in)
{
    tm_index_clear(&in->index);
    in->count = 0;
    in->bytes.len = 0;
}

void tm_intern_release(struct tm_intern *in)
{
    tm_buf_release(&in->bytes);
    free(in->ends);
    tm_index_release(&in->index);
    tm_intern_init(in, in->count_max, in->bytes_max);
}
