#include "base/intern.h"

#include "base/hash.h"

#include <stdlib.h>

enum { INTERN_FIRST_SLOTS = 256 };

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

static enum tm_status grow_slots(struct tm_intern *in)
{
    uint32_t n = in->slots ? (in->slot_mask + 1) * 2 : INTERN_FIRST_SLOTS;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (slots == NULL)
        return TM_E_SYSTEM;
    for (uint32_t id = 0; id < in->count; id++) {
        uint32_t at = in->hashes[id] & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = id + 1;
    }
    free(in->slots);
    in->slots = slots;
    in->slot_mask = n - 1;
    return TM_OK;
}

static enum tm_status grow_arrays(struct tm_intern *in)
{
    size_t cap = in->ends_cap ? in->ends_cap * 2 : INTERN_FIRST_SLOTS;
    size_t *ends = realloc(in->ends, cap * sizeof *ends);
    if (ends == NULL)
        return TM_E_SYSTEM;
    in->ends = ends;
    uint32_t *hashes = realloc(in->hashes, cap * sizeof *hashes);
    if (hashes == NULL)
        return TM_E_SYSTEM;
    in->hashes = hashes;
    in->ends_cap = cap;
    return TM_OK;
}

enum tm_status tm_intern_add(struct tm_intern *in, const void *s, size_t len, uint32_t *id, bool *is_new)
{
    uint32_t hash = (uint32_t)tm_hash64(s, len);
    if (is_new)
        *is_new = false;
    if (in->slots == NULL && grow_slots(in) != TM_OK)
        return TM_E_SYSTEM;
    uint32_t at = hash & in->slot_mask;
    for (; in->slots[at]; at = (at + 1) & in->slot_mask) {
        uint32_t have = in->slots[at] - 1;
        size_t n;
        if (in->hashes[have] != hash)
            continue;
        const uint8_t *t = tm_intern_get(in, have, &n);
        if (n == len && (len == 0 || memcmp(s, t, len) == 0)) {
            *id = have;
            return TM_OK;
        }
    }
    if (in->count >= in->count_max || len > in->bytes_max - in->bytes.len)
        return TM_END;
    if (in->count == in->ends_cap && grow_arrays(in) != TM_OK)
        return TM_E_SYSTEM;
    if (tm_buf_add(&in->bytes, s, len) != TM_OK)
        return TM_E_SYSTEM;
    in->ends[in->count] = in->bytes.len;
    in->hashes[in->count] = hash;
    in->slots[at] = ++in->count;
    *id = in->count - 1;
    if (is_new)
        *is_new = true;
    if (in->count > in->slot_mask / 2 && grow_slots(in) != TM_OK)
        return TM_E_SYSTEM;
    return TM_OK;
}

void tm_intern_clear(struct tm_intern *in)
{
    if (in->slots)
        memset(in->slots, 0, ((size_t)in->slot_mask + 1) * sizeof *in->slots);
    in->count = 0;
    in->bytes.len = 0;
}

void tm_intern_release(struct tm_intern *in)
{
    tm_buf_release(&in->bytes);
    free(in->ends);
    free(in->slots);
    free(in->hashes);
    tm_intern_init(in, in->count_max, in->bytes_max);
}
