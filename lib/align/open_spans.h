/* Slices whose end has not been read. The facts of a begin are kept until its end, since both together are a span. */
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

/* Opens BEGIN on its track. It is dropped beyond the limits TM_OPEN_SPANS_*. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_spans_begin(struct tm_open_spans *open, const struct tm_event *begin, struct tm_error *err);

/* Sets *BEGIN to the begin of the span that END ends. Its payload is valid until the next begin. False if none is
 * open. */
bool tm_open_spans_end(struct tm_open_spans *open, const struct tm_event *end, struct tm_event *begin);

void tm_open_spans_release(struct tm_open_spans *open);

#endif
