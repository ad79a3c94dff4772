#include "format/spans/window.h"

#include "base/table.h"
#include "format/spans/spans.h"

#include <stdlib.h>

struct tm_spans_record {
    struct tm_spans_service service;
    uint64_t own, parent;
    uint64_t outermost; /* the span that determines the track */
    uint32_t first_row, row_count;
    bool is_taken; /* its rows are in the sink or about to be added */
};

static bool is_full(const struct tm_spans_window *w)
{
    return w->payload.len + w->row_count * sizeof *w->rows + w->record_count * sizeof *w->records >=
           TM_SPANS_WINDOW_BYTES;
}

enum tm_status tm_spans_window_begin(struct tm_spans_window *w, const struct tm_spans_service *service, uint64_t own,
                                     uint64_t parent, struct tm_error *err)
{
    enum tm_status st = is_full(w) ? tm_spans_window_flush(w, err) : TM_OK;
    if (st < 0 || (st = tm_array_grow(&w->records, &w->record_cap, w->record_count, sizeof *w->records, err)) < 0 ||
        (st = tm_array_grow(&w->ancestors, &w->ancestors_cap, w->record_count, sizeof *w->ancestors, err)) < 0)
        return st;
    if (own && tm_map_set(&w->by_id, own, w->record_count) < 0)
        return tm_error_nomem(err);
    w->records[w->record_count++] =
        (struct tm_spans_record){.service = *service, .own = own, .parent = parent, .first_row = w->row_count};
    return TM_OK;
}

enum tm_status tm_spans_window_add(struct tm_spans_window *w, const struct tm_event *row, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&w->rows, &w->row_cap, w->row_count, sizeof *w->rows, err);
    if (st < 0)
        return st;
    w->rows[w->row_count] = *row;
    w->rows[w->row_count++].detail = NULL; /* the bytes may move */
    w->records[w->record_count - 1].row_count++;
    return tm_buf_add(&w->payload, row->detail, row->detail_bytes) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Adds the rows of RECORD to the sink, on its track. */
static enum tm_status flush_record(struct tm_spans_window *w, const struct tm_spans_record *record,
                                   struct tm_error *err)
{
    uint64_t track;
    enum tm_status st = record->row_count == 0
                            ? TM_OK
                            : tm_spans_service_track(w->services, &record->service, record->outermost, &track, err);
    for (uint32_t i = 0; st == TM_OK && i < record->row_count; i++) {
        struct tm_event *row = &w->rows[record->first_row + i];
        row->track = track;
        st = tm_event_sink_add(w->services->sink, row, err);
    }
    return st;
}

/* Sets the payload pointers of the rows, whose payloads are contiguous. */
static void point_at_payload(struct tm_spans_window *w)
{
    size_t at = 0;
    for (uint32_t i = 0; i < w->row_count; i++) {
        w->rows[i].detail = w->payload.data + at;
        at += w->rows[i].detail_bytes;
    }
}

/* Adds the rows of record AT and of the records around it to the sink, outermost first, unless they are there
 * already. */
static enum tm_status flush_ancestors(struct tm_spans_window *w, uint32_t at, struct tm_error *err)
{
    uint32_t depth = 0;
    uint64_t outermost = 0;
    enum tm_status st = TM_OK;
    while (!w->records[at].is_taken) { /* also stops at the end of a circle */
        const struct tm_spans_record *record = &w->records[at];
        w->records[at].is_taken = true;
        w->ancestors[depth++] = at;
        outermost = record->parent ? record->parent : record->own;
        if (record->parent == 0 || !tm_map_find(&w->by_id, record->parent, &at))
            break;
    }
    if (w->records[at].outermost)
        outermost = w->records[at].outermost;
    while (st == TM_OK && depth > 0) {
        struct tm_spans_record *record = &w->records[w->ancestors[--depth]];
        record->outermost = outermost;
        st = flush_record(w, record, err);
    }
    return st;
}

enum tm_status tm_spans_window_flush(struct tm_spans_window *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    point_at_payload(w);
    for (uint32_t i = 0; st == TM_OK && i < w->record_count; i++)
        st = flush_ancestors(w, i, err);
    w->record_count = w->row_count = 0;
    tm_buf_clear(&w->payload);
    tm_map_clear(&w->by_id);
    return st;
}

void tm_spans_window_release(struct tm_spans_window *w)
{
    free(w->records);
    free(w->rows);
    free(w->ancestors);
    tm_buf_release(&w->payload);
    tm_map_release(&w->by_id);
}
