/* Begins on tracks whose slices do not nest: a begin inside an open slice is only counted. Memory grows with the number
 * of such tracks. */
#ifndef TM_MODEL_UNNESTED_BEGINS_H
#define TM_MODEL_UNNESTED_BEGINS_H

#include "base/buf.h"
#include "base/table.h"

/* Zero-initialise. */
struct tm_unnested_begins {
    struct tm_table numbers; /* private */
};

/* Counts a begin on TRACK at TS. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_unnested_begins_add(struct tm_unnested_begins *begins, uint32_t track, int64_t ts,
                                      struct tm_error *err);

/* Appends the args of a slice that ends on TRACK to ARGS, a Detail message: how many begins the track has had, and when
 * the last one was. TM_OK; TM_END: it had none; TM_E_SYSTEM. */
enum tm_status tm_unnested_begins_put(const struct tm_unnested_begins *begins, uint32_t track, struct tm_buf *args);

void tm_unnested_begins_release(struct tm_unnested_begins *begins);

#endif
