/* Strings numbered 0, 1, 2, … in the order of their first use, up to a bound. Beyond it tm_intern_add still finds
 * strings and returns TM_END for new ones; the caller then carries the string itself. */
#ifndef TM_BASE_INTERN_H
#define TM_BASE_INTERN_H

#include "base/buf.h"
#include "base/index.h"

#include <stdbool.h>

struct tm_intern {
    uint32_t count;     /* strings held */
    uint32_t count_max; /* bound on count; set by init */
    size_t bytes_max;   /* bound on the bytes of all strings; set by init */
    /* private */
    struct tm_buf bytes;
    size_t *ends; /* ends[i]: where string i ends in bytes */
    size_t ends_cap;
    struct tm_index index;
};

/* COUNT_MAX at most 2^30. Allocates nothing yet. */
void tm_intern_init(struct tm_intern *in, uint32_t count_max, size_t bytes_max);

/* The number of the LEN bytes at S, added if new. TM_OK: *ID set, *IS_NEW (may be NULL) says
 * whether this call added it. TM_END: not there and the bound is reached. TM_E_SYSTEM: no memory. */
enum tm_status tm_intern_add(struct tm_intern *in, const void *s, size_t len, uint32_t *id, bool *is_new);

/* The string numbered ID (below count); valid until the next add. */
const uint8_t *tm_intern_get(const struct tm_intern *in, uint32_t id, size_t *len);

/* Forgets all strings and keeps the memory. */
void tm_intern_clear(struct tm_intern *in);

void tm_intern_release(struct tm_intern *in);

#endif
