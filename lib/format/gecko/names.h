/* Names with numbers from 0, as in a profile's lists of categories and libraries. */
#ifndef TM_FORMAT_GECKO_NAMES_H
#define TM_FORMAT_GECKO_NAMES_H

#include "base/buf.h"

/* Zero-initialise. */
struct tm_gecko_names {
    uint32_t count;
    /* private */
    struct tm_buf bytes;
    struct tm_buf ends; /* 8 bytes a name */
};

/* Adds the LEN bytes at S as the next name. The caller bounds the number of names. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_gecko_names_add(struct tm_gecko_names *names, const void *s, size_t len);

/* Returns name I, which may be empty, and sets *LEN. It is valid until the next name is added. NULL: there is no name
 * I, and *LEN is unchanged. */
const uint8_t *tm_gecko_names_get(const struct tm_gecko_names *names, uint32_t i, size_t *len);

void tm_gecko_names_release(struct tm_gecko_names *names);

#endif
