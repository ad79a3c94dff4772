#include "emit/perfetto/end_label.h"

#include "base/hash.h"

/* numbers of the stream's strings, or hashes of strings that travel with their event, as in lib/model */
#define IS_HASH (UINT64_C(1) << 63)

tm_slice_label tm_end_label_of(const struct tm_track_writer *w, const struct tm_event *e, uint32_t string)
{
    struct tm_text text = tm_catalog_string(w->packets->catalog, string, e);
    if (text.data == NULL)
        return 0;
    return string & TM_STRING_INLINE ? tm_hash64(text.data, text.len) | IS_HASH : string;
}

static uint32_t string_of(tm_slice_label label)
{
    return label & IS_HASH ? 0 : (uint32_t)label;
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
