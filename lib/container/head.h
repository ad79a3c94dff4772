/* The first bytes inside a compressed file, for a look at it before its turn. */
#ifndef TM_CONTAINER_HEAD_H
#define TM_CONTAINER_HEAD_H

#include "base/buf.h"
#include "base/text.h"

/* Decompresses the first bytes of gzip or zstd data and appends up to MAX of them to OUT. PACKED is the beginning of
 * the data. Of damaged data OUT gets what comes before the damage, of other data nothing. Returns TM_OK, or
 * TM_E_SYSTEM if out of memory. */
enum tm_status tm_container_head(struct tm_text packed, size_t max, struct tm_buf *out, struct tm_error *err);

#endif
