#include "container/pax.h"

#include <string.h>

static enum tm_status malformed(struct tm_error *err)
{
    return tm_error_set(err, TM_E_INPUT, "malformed PAX header");
}

/* Reads a decimal number of [P, END) that ends at END or before a byte STOP. Returns NULL if there is none or it
 * exceeds 2^63 - 1. */
static const uint8_t *number(const uint8_t *p, const uint8_t *end, uint8_t stop, uint64_t *value)
{
    const uint8_t *start = p;
    uint64_t v = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > ((uint64_t)INT64_MAX - digit) / 10)
            return NULL;
        v = v * 10 + digit;
    }
    *value = v;
    return p > start && (p == end || *p == stop) ? p : NULL;
}

static bool is(const uint8_t *s, size_t len, const char *want)
{
    return len == strlen(want) && memcmp(s, want, len) == 0;
}

/* Takes the record KEY=VALUE from P to END into PAX, if it is one of those that are used. */
static enum tm_status record(struct tm_pax *pax, const uint8_t *p, const uint8_t *end, struct tm_error *err)
{
    const uint8_t *equals = memchr(p, '=', (size_t)(end - p));
    if (equals == NULL)
        return malformed(err);
    size_t key_bytes = (size_t)(equals - p);
    const uint8_t *value = equals + 1;
    size_t value_bytes = (size_t)(end - value);
    if (is(p, key_bytes, "GNU.sparse.name") || (is(p, key_bytes, "path") && !pax->has_sparse_name)) {
        pax->path = value_bytes ? value : NULL;
        pax->path_bytes = value_bytes;
        pax->has_sparse_name = *p == 'G';
        pax->is_sparse = pax->is_sparse || pax->has_sparse_name;
    } else if (is(p, key_bytes, "linkpath")) {
        pax->linkpath = value_bytes ? value : NULL;
        pax->linkpath_bytes = value_bytes;
    } else if (is(p, key_bytes, "size")) {
        pax->has_size = value_bytes > 0;
        if (value_bytes && number(value, end, '\n', &pax->size_bytes) != end)
            return malformed(err);
    } else if (key_bytes > 10 && memcmp(p, "GNU.sparse", 10) == 0) {
        pax->is_sparse = true;
    } else if (is(p, key_bytes, "TRACEMERGE.order")) {
        pax->in_order = is(value, value_bytes, "processing");
    }
    return TM_OK;
}

enum tm_status tm_pax_parse(struct tm_pax *pax, const uint8_t *data, size_t len, struct tm_error *err)
{
    const uint8_t *p = data, *end = data + len;
    enum tm_status st = TM_OK;
    while (st == TM_OK && p < end) {
        uint64_t size;
        if (*p == '\0') /* padding, which some writers count */
            break;
        const uint8_t *key = number(p, end, ' ', &size);
        if (key == NULL || key == end || size > (uint64_t)(end - p) || size < (uint64_t)(key - p) + 3)
            return malformed(err);
        const uint8_t *last = p + size - 1;
        if (*last != '\n')
            return malformed(err);
        st = record(pax, key + 1, last, err);
        p = last + 1;
    }
    return st;
}
