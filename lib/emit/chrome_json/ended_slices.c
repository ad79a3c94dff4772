#include "emit/chrome_json/ended_slices.h"

#include "base/table.h"

#include <stdlib.h>

struct tm_json_ended_slice {
    uint64_t order;
    size_t at, len; /* in text */
};

enum tm_status tm_json_ended_slices_add(struct tm_json_ended_slices *w, size_t from, uint64_t order, int64_t end_ns,
                                        struct tm_error *err)
{
    struct tm_buf *out = &w->writer->out.buf;
    if (tm_array_grow(&w->slices, &w->cap, w->count, sizeof *w->slices, err) < 0)
        return TM_E_SYSTEM;
    w->slices[w->count++] = (struct tm_json_ended_slice){order, w->text.len, out->len - from};
    if (w->writer->out.failed || tm_buf_add(&w->text, out->data + from, out->len - from) != TM_OK)
        return tm_error_nomem(err);
    out->len = from;
    w->end_ns = end_ns;
    return TM_OK;
}

static int compare(const void *a, const void *b)
{
    const struct tm_json_ended_slice *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

enum tm_status tm_json_ended_slices_write_before(struct tm_json_ended_slices *w, int64_t time_ns, struct tm_error *err)
{
    return w->count && w->end_ns < time_ns ? tm_json_ended_slices_write(w, err) : TM_OK;
}

enum tm_status tm_json_ended_slices_write(struct tm_json_ended_slices *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->count > 1)
        qsort(w->slices, w->count, sizeof *w->slices, compare);
    for (uint32_t i = 0; i < w->count && st == TM_OK; i++) {
        tm_json_writer_next(w->writer);
        tm_out_bytes(&w->writer->out, w->text.data + w->slices[i].at, w->slices[i].len);
        st = tm_out_end_row(&w->writer->out, err);
    }
    w->count = 0;
    tm_buf_clear(&w->text);
    return st;
}

void tm_json_ended_slices_release(struct tm_json_ended_slices *w)
{
    free(w->slices);
    tm_buf_release(&w->text);
}
