/* Slices whose end has not come yet: what a begin said is kept until its end, as only both together are a span. */
#ifndef TM_ALIGN_OPEN_SPANS_H
#define TM_ALIGN_OPEN_SPANS_H

#include "base/buf.h"
#include "base/table.h"
#include "stream/event.h"

enum { TM_OPEN_SPANS_DEPTH_MAX = 256, TM_OPEN_SPANS_TRACKS_MAX = 1 << 16 };

/* Zero-initialise. */
struct tm_open_spans {
    /* private */
    struct tm_table index;
    struct tm_open_span_track *tracks;
    uint32_t count, cap;
};

/* BEGIN is open on its track from now on; past a depth or number of tracks of TM_OPEN_SPANS_* it is forgotten. */
enum tm_status tm_open_spans_begin(struct tm_open_spans *open, const struct tm_event *begin, struct tm_error *err);

/* What END ends, its payload valid until the next begin. False where nothing is open. */
bool tm_open_spans_end(struct tm_open_spans *open, const struct tm_event *end, struct tm_event *begin);

void tm_open_spans_release(struct tm_open_spans *open);

#endif
