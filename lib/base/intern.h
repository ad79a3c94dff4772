/* Strings numbered 0, 1, 2, … in the order of their first use, up to a bound. At the bound, tm_intern_add still finds
 * strings but returns TM_END for new ones. The caller must then store the string itself. */
#ifndef TM_BASE_INTERN_H
#define TM_BASE_INTERN_H

#include "base/buf.h"
#include "base/index.h"

#include <stdbool.h>

struct tm_intern {
    uint32_t count;     /* of strings */
    uint32_t count_max; /* bound on count; set by init */
    size_t bytes_max;   /* bound on the bytes of all strings; set by init */
    /* private */
    struct tm_buf bytes;
    size_t *ends; /* ends[i]: where string i ends in bytes */
    size_t ends_cap;
    struct tm_index index;
};

/* Initialises IN with its bounds. COUNT_MAX is at most 2^30. Allocates nothing yet. */
void tm_intern_init(struct tm_intern *in, uint32_t count_max, size_t bytes_max);

/* Finds the LEN bytes at S, or adds them. TM_OK with *ID set; *IS_NEW (may be NULL) is true if this call added the
 * string. TM_END: the string is new and the bound is reached. TM_E_SYSTEM: out of memory. */
enum tm_status tm_intern_add(struct tm_intern *in, const void *s, size_t len, uint32_t *id, bool *is_new);

/* Finds the LEN bytes at S. True if they are there; sets *ID then. Changes nothing. */
bool tm_intern_find(const struct tm_intern *in, const void *s, size_t len, uint32_t *id);

/* Returns the string with number ID, which is below count. Valid until the next add. */
const uint8_t *tm_intern_get(const struct tm_intern *in, uint32_t id, size_t *len);

/* Forgets all strings and keeps the memory. */
void tm_intern_clear(struct tm_intern *in);

void tm_intern_release(struct tm_intern *in);

#endif
