#include "emit/perfetto/end_label.h"

tm_slice_label tm_end_label_of(const struct tm_track_writer *w, const struct tm_event *e, uint32_t string)
{
    return tm_slice_label_of(string, tm_catalog_string(w->packets->catalog, string, e));
}

static uint32_t string_of(tm_slice_label label)
{
    return label & TM_SLICE_LABEL_HASH ? 0 : (uint32_t)label;
}

enum tm_status tm_end_label_write(struct tm_track_writer *w, struct tm_event *e, const struct tm_reader_event *end,
                                  int64_t reader_id, struct tm_error *err)
{
    const uint32_t called[][2] = {{e->name, e->category}, {string_of(end->label[0]), string_of(end->label[1])}, {0, 0}};
    enum tm_status st = TM_END;
    for (size_t i = 0; i < sizeof called / sizeof *called && st == TM_END; i++) {
        e->name = called[i][0];
        e->category = called[i][1];
        const struct tm_reader_event as = {
            end->uuid, end->ts_ns, 0, {tm_end_label_of(w, e, e->name), tm_end_label_of(w, e, e->category)}};
        st = tm_reader_slices_write_end(&w->reader, &as, reader_id, err);
    }
    return st;
}
