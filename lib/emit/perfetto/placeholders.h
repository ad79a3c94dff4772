/* Bytes of the output that are pending until a decision. A placeholder has two versions of some packets. Until one of
 * them is chosen, everything after the placeholder is pending. Memory: the open placeholders and a few MiB of pending
 * bytes; the rest is in a temporary file. */
#ifndef TM_EMIT_PERFETTO_PLACEHOLDERS_H
#define TM_EMIT_PERFETTO_PLACEHOLDERS_H

#include "base/buf.h"
#include "os/paged_file.h"

#include <stdbool.h>

/* Zero-initialise. */
struct tm_placeholders {
    const char *dir; /* for the temporary file; borrowed; NULL: the folder of tm_io_temporary */
    /* private */
    struct tm_paged_file bytes;
    uint64_t begin, end; /* extent of the pending records */
    struct tm_placeholder {
        uint64_t record;
        struct tm_buf versions[2];
    } *placeholders;
    uint32_t count, cap, open_count;
};

/* True while any bytes are pending. */
static inline bool tm_placeholders_any(const struct tm_placeholders *placeholders)
{
    return placeholders->end > placeholders->begin;
}

/* True while a placeholder is open. */
static inline bool tm_placeholders_any_open(const struct tm_placeholders *placeholders)
{
    return placeholders->open_count > 0;
}

/* Adds LEN bytes of DATA after all pending bytes. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_placeholders_put(struct tm_placeholders *placeholders, const void *data, size_t len,
                                   struct tm_error *err);

/* Opens PLACEHOLDER after all pending bytes. That is its number until it is decided. Memory grows with the largest
 * number. Takes VERSIONS over, also if it fails. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_placeholders_open(struct tm_placeholders *placeholders, uint32_t placeholder,
                                    struct tm_buf versions[2], struct tm_error *err);

/* Replaces PLACEHOLDER by its version WHICH. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_placeholders_decide(struct tm_placeholders *placeholders, uint32_t placeholder, int which,
                                      struct tm_error *err);

/* Moves bytes that no open placeholder holds back to OUT: at most MAX bytes plus one record. TM_OK: there may be more;
 * TM_END: there is no more; TM_E_SYSTEM. */
enum tm_status tm_placeholders_take(struct tm_placeholders *placeholders, struct tm_buf *out, size_t max,
                                    struct tm_error *err);

void tm_placeholders_release(struct tm_placeholders *placeholders);

#endif
