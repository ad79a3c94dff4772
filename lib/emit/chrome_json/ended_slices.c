#include "emit/chrome_json/ended_slices.h"

#include "base/table.h"

#include <stddef.h>
#include <stdlib.h>

struct tm_json_ended_slice {
    uint64_t order;
    size_t at, len; /* in bytes */
};

enum tm_status tm_json_ended_slices_add(struct tm_json_ended_slices *w, const struct tm_json_ended *ended,
                                        struct tm_error *err)
{
    const size_t at = w->bytes.len;
    if (tm_array_grow(&w->slices, &w->cap, w->count, sizeof *w->slices, err) < 0)
        return TM_E_SYSTEM;
    if (tm_buf_add(&w->bytes, &ended->slice, sizeof ended->slice) != TM_OK ||
        tm_buf_add(&w->bytes, ended->text, ended->slice.text_len) != TM_OK ||
        tm_buf_add(&w->bytes, ended->detail, ended->slice.detail_len) != TM_OK ||
        tm_buf_add(&w->bytes, ended->rest.data, ended->rest.len) != TM_OK)
        return tm_error_nomem(err);
    w->slices[w->count++] = (struct tm_json_ended_slice){ended->order, at, w->bytes.len - at};
    w->end_ns = ended->end_ns;
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
        uint8_t *bytes = w->bytes.data + w->slices[i].at;
        const struct tm_text slice = {bytes, w->slices[i].len};
        const bool follows = tm_json_writer_follows(w->writer);
        memcpy(bytes + offsetof(struct tm_json_late_slice, follows), &follows, sizeof follows);
        tm_out_late(&w->writer->out, tm_json_late_slice, &slice, 1);
        st = tm_out_end_row(&w->writer->out, err);
    }
    w->count = 0;
    tm_buf_clear(&w->bytes);
    return st;
}

void tm_json_ended_slices_release(struct tm_json_ended_slices *w)
{
    free(w->slices);
    tm_buf_release(&w->bytes);
}
