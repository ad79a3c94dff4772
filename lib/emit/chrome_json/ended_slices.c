#include "emit/chrome_json/ended_slices.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_json_ended_slice {
    uint64_t order;
    size_t at, len; /* of its record */
};

enum tm_status tm_json_ended_slices_add(struct tm_json_ended_slices *w, const struct tm_json_event_draft *slice,
                                        uint64_t order, int64_t end_ns, struct tm_error *err)
{
    const size_t at = w->records.len;
    struct tm_json_event_record record;
    tm_json_event_draft_record(slice, true, &record);
    if (tm_array_grow(&w->slices, &w->cap, w->count, sizeof *w->slices, err) < 0)
        return TM_E_SYSTEM;
    for (int i = 0; i < TM_JSON_EVENT_PIECES; i++)
        if (tm_buf_add(&w->records, record.pieces[i].data, record.pieces[i].len) != TM_OK)
            return tm_error_nomem(err);
    w->slices[w->count++] = (struct tm_json_ended_slice){order, at, w->records.len - at};
    w->end_ns = w->count > 1 && w->end_ns > end_ns ? w->end_ns : end_ns;
    return TM_OK;
}

static int compare(const void *a, const void *b)
{
    const struct tm_json_ended_slice *x = a, *y = b;
    if (x->order == y->order)
        return x->at < y->at ? -1 : x->at > y->at;
    return x->order < y->order ? -1 : 1;
}

enum tm_status tm_json_ended_slices_write(struct tm_json_ended_slices *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->count > 1)
        qsort(w->slices, w->count, sizeof *w->slices, compare);
    for (uint32_t i = 0; i < w->count && st == TM_OK; i++) {
        uint8_t *bytes = w->records.data + w->slices[i].at;
        const struct tm_text record = {bytes, w->slices[i].len};
        tm_json_event_set_follows(bytes, tm_json_writer_follows(w->writer));
        tm_out_late(&w->writer->out, tm_json_event_format, &record, 1);
        st = tm_out_end_row(&w->writer->out, err);
    }
    w->count = 0;
    tm_buf_clear(&w->records);
    return st;
}

void tm_json_ended_slices_release(struct tm_json_ended_slices *w)
{
    free(w->slices);
    tm_buf_release(&w->records);
}
