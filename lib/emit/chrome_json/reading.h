/* What begins and ends of Chrome JSON have open on a thread for a reader, by the model's own rules: an end closes the
 * innermost slice that fits (model/slices.h), and of one moment ends come before begins (stream/timestamp_group.h).
 *
 * Complete events are left out of it. They may end what began within them, never the other way around: where nothing is
 * open here, nothing is. Memory: threads, and what is open on them at one time. */
#ifndef TM_EMIT_CHROME_JSON_READING_H
#define TM_EMIT_CHROME_JSON_READING_H

#include "model/slices.h"

/* Zero-initialise. */
struct tm_json_reading {
    /* private */
    struct tm_slices slices;
    struct tm_json_moment *moments; /* by thread */
    uint32_t count, cap;
};

/* A slice begins on THREAD, any small number, at TS_NS. Times of a thread do not go back. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_reading_begin(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                     const tm_slice_label label[2], struct tm_error *err);

/* An end on THREAD at TS_NS. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_reading_end(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                   const tm_slice_label label[2], struct tm_error *err);

/* True while something may be open on THREAD. */
bool tm_json_reading_is_open(const struct tm_json_reading *reading, uint32_t thread);

void tm_json_reading_release(struct tm_json_reading *reading);

#endif
