/* Rows of spans on their way to the sink. Exporters write a span when it ends, so a child comes before its parent. The
 * window contains a part of the file and adds the rows of each span to the sink after those of its parent, because
 * outputs nest slices that begin at one time in the order of the file. The track of a span is that of its outermost
 * span in the same service, so that concurrent requests are on different tracks. */
#ifndef TM_FORMAT_SPANS_WINDOW_H
#define TM_FORMAT_SPANS_WINDOW_H

#include "format/spans/service.h"

struct tm_spans_record;

/* Zero-initialise. */
struct tm_spans_window {
    struct tm_spans_services *services; /* borrowed; the sink is theirs */
    /* private */
    struct tm_spans_record *records;
    struct tm_event *rows;
    uint32_t *ancestors; /* as many as records */
    uint32_t record_count, record_cap, row_count, row_cap, ancestors_cap;
    struct tm_buf payload;
    struct tm_map by_id;
};

/* Begins a span of SERVICE. OWN is a number for its id there, PARENT one for its parent's id; PARENT is 0 if the parent
 * is not a span of this service. TM_OK or an error. */
enum tm_status tm_spans_window_begin(struct tm_spans_window *window, const struct tm_spans_service *service,
                                     uint64_t own, uint64_t parent, struct tm_error *err);

/* Adds a row to the span that was begun last, and copies its detail. The window sets its track. TM_OK or an error. */
enum tm_status tm_spans_window_add(struct tm_spans_window *window, const struct tm_event *row, struct tm_error *err);

/* Adds all rows to the sink. TM_OK or an error. */
enum tm_status tm_spans_window_flush(struct tm_spans_window *window, struct tm_error *err);

void tm_spans_window_release(struct tm_spans_window *window);

#endif
