/* The slices that a reader of Chrome JSON has open on each thread because of begins and ends. The model has the rules:
 * an end closes the innermost matching slice (model/slices.h), and at one time ends come before begins
 * (stream/timestamp_group.h).
 *
 * Complete events are not included. They can end slices that began within them, but not the reverse. So if no slice is
 * open here, none is open for the reader. Memory: threads, and the slices open on them at one time. */
#ifndef TM_EMIT_CHROME_JSON_READING_H
#define TM_EMIT_CHROME_JSON_READING_H

#include "model/slices.h"

/* Zero-initialise. */
struct tm_json_reading {
    /* private */
    struct tm_slices slices;
    struct tm_json_group *groups; /* by thread */
    uint32_t count, cap;
};

/* Notes the begin of a slice on THREAD, any small number, at TS_NS. Times of a thread must not decrease. TM_OK;
 * TM_E_INPUT past TM_SLICES_SLOTS_MAX; TM_E_SYSTEM. */
enum tm_status tm_json_reading_begin(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                     const tm_slice_label label[2], struct tm_error *err);

/* Notes an end on THREAD at TS_NS. Returns what tm_json_reading_begin returns. */
enum tm_status tm_json_reading_end(struct tm_json_reading *reading, uint32_t thread, int64_t ts_ns,
                                   const tm_slice_label label[2], struct tm_error *err);

/* True if a slice may be open on THREAD. */
bool tm_json_reading_is_open(const struct tm_json_reading *reading, uint32_t thread);

void tm_json_reading_release(struct tm_json_reading *reading);

#endif
