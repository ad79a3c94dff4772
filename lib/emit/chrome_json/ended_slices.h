/* Slices that ended at one time, or became known to have ended earlier, as complete events. They are pending while
 * others may end at this time: of two that are equal, the outer one comes first. */
#ifndef TM_EMIT_CHROME_JSON_ENDED_SLICES_H
#define TM_EMIT_CHROME_JSON_ENDED_SLICES_H

#include "emit/chrome_json/writer.h"

/* Zero-initialise, and set writer. */
struct tm_json_ended_slices {
    struct tm_json_writer *writer; /* borrowed */
    /* private */
    struct tm_json_ended_slice *slices;
    uint32_t count, cap;
    struct tm_buf records;  /* of the slices, for tm_json_event_format */
    int64_t end_ns; /* the latest end of a pending slice */
};

/* Adds a pending slice that ended at END_NS, or an event that belongs after it. ORDER is that of its begin. TM_OK or
 * TM_E_SYSTEM, as all functions here. */
enum tm_status tm_json_ended_slices_add(struct tm_json_ended_slices *w, const struct tm_json_event_draft *slice,
                                        uint64_t order, int64_t end_ns, struct tm_error *err);

/* Writes all pending slices. */
enum tm_status tm_json_ended_slices_write(struct tm_json_ended_slices *w, struct tm_error *err);

/* Writes all pending slices if they ended before TIME_NS. */
static inline enum tm_status tm_json_ended_slices_write_before(struct tm_json_ended_slices *w, int64_t time_ns,
                                                               struct tm_error *err)
{
    return w->count && w->end_ns < time_ns ? tm_json_ended_slices_write(w, err) : TM_OK;
}

void tm_json_ended_slices_release(struct tm_json_ended_slices *w);

#endif
