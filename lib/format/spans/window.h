/* Rows of spans on their way to the sink. Exporters write a span when it ends, so that a child comes before its parent.
 * So a stretch of the file is kept, and what is in it is given on with each span behind its parent, as outputs nest
 * slices that begin at one time in the order of the file; and on the track of the outermost span of its service that it
 * is in, so that requests served at one time are on tracks of their own. */
#ifndef TM_FORMAT_SPANS_WINDOW_H
#define TM_FORMAT_SPANS_WINDOW_H

#include "format/spans/service.h"

struct tm_spans_record;

/* Zero-initialise. */
struct tm_spans_window {
    struct tm_spans_services *services; /* borrowed; theirs is the sink */
    /* private */
    struct tm_spans_record *records;
    struct tm_event *rows;
    uint32_t *climb; /* as long as records */
    uint32_t record_count, record_cap, row_count, row_cap, climb_cap;
    struct tm_buf payload;
    struct tm_map by_id;
};

/* Begins a span of SERVICE. OWN is a number for its id there; PARENT for its parent's, 0 where that is in no span of
 * this service. */
enum tm_status tm_spans_window_begin(struct tm_spans_window *window, const struct tm_spans_service *service,
                                     uint64_t own, uint64_t parent, struct tm_error *err);

/* Adds a row to the span that was begun last and copies its detail. Its track is to come. */
enum tm_status tm_spans_window_add(struct tm_spans_window *window, const struct tm_event *row, struct tm_error *err);

/* Gives all rows to the sink. */
enum tm_status tm_spans_window_flush(struct tm_spans_window *window, struct tm_error *err);

void tm_spans_window_release(struct tm_spans_window *window);

#endif
