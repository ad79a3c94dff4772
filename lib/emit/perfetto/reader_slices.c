#include "emit/perfetto/reader_slices.h"

#include <stdlib.h>

static void add(void *self, int64_t id, int64_t dur_ns)
{
    struct tm_slice_ids *list = self;
    if (list->count == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 16;
        int64_t *ids = realloc(list->ids, cap * sizeof *ids);
        list->ids = ids ? ids : list->ids;
        int64_t *durs_ns = ids ? realloc(list->durs_ns, cap * sizeof *durs_ns) : NULL;
        list->durs_ns = durs_ns ? durs_ns : list->durs_ns;
        if (durs_ns == NULL) {
            list->failed = true;
            return;
        }
        list->cap = cap;
    }
    list->ids[list->count] = id;
    list->durs_ns[list->count++] = dur_ns;
}

static enum tm_status is_cut(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    struct tm_slice_ids *cut = self;
    (void)arg_set;
    add(cut, id, dur);
    return cut->failed ? tm_error_nomem(err) : TM_OK;
}

/* Its number; it is followed. */
static uint32_t number_of(const struct tm_reader_slices *twins, uint64_t uuid)
{
    uint32_t number = 0;
    (void)tm_map_find(&twins->by_track, uuid, &number);
    return number;
}

bool tm_reader_slices_has(const struct tm_reader_slices *twins, uint64_t uuid)
{
    uint32_t number;
    return tm_map_find(&twins->by_track, uuid, &number);
}

enum tm_status tm_reader_slices_follow(struct tm_reader_slices *twins, uint64_t uuid)
{
    if (tm_reader_slices_has(twins, uuid))
        return TM_END;
    return tm_map_set(&twins->by_track, uuid, twins->by_track.count);
}

enum tm_status tm_reader_slices_begin(struct tm_reader_slices *twins, uint64_t uuid, int64_t ts_ns, int64_t dur_ns,
                                      const tm_slice_label label[2], int64_t *id, struct tm_error *err)
{
    struct tm_slice_row row = {.ts = ts_ns, .dur = dur_ns, .track = number_of(twins, uuid), .arg_set = TM_NO_ID};
    const struct tm_rows rows = {.self = &twins->cut, .slice = tm_slices_no_rows.slice, .slice_end = is_cut};
    bool crosses;
    tm_reader_slices_pass(twins);
    *id = twins->said.next_id = twins->next_id++;
    enum tm_status st = tm_slices_begin(&twins->said, &row, label, &crosses, &rows, err);
    return st < 0 ? st : crosses ? TM_END : TM_OK;
}

enum tm_status tm_reader_slices_write_begin(struct tm_reader_slices *twins, uint64_t uuid, int64_t ts_ns,
                                            int64_t dur_ns, const tm_slice_label label[2], int64_t id,
                                            struct tm_error *err)
{
    struct tm_slice_row row = {.ts = ts_ns, .dur = dur_ns, .track = number_of(twins, uuid), .arg_set = TM_NO_ID};
    bool crosses;
    twins->written.next_id = id;
    enum tm_status st = tm_slices_begin(&twins->written, &row, label, &crosses, &tm_slices_no_rows, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_reader_slices_end(struct tm_reader_slices *twins, uint64_t uuid, int64_t ts_ns,
                                    tm_slice_label label[2], int64_t *id, struct tm_error *err)
{
    const struct tm_rows rows = {.self = &twins->cut, .slice = tm_slices_no_rows.slice, .slice_end = is_cut};
    struct tm_slice_end end;
    tm_reader_slices_pass(twins);
    enum tm_status st = tm_slices_end(&twins->said, number_of(twins, uuid), ts_ns, label, &end, &rows, err);
    *id = TM_NO_ID;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    *id = end.id;
    label[0] = end.label[0];
    label[1] = end.label[1];
    return TM_OK;
}

enum tm_status tm_reader_slices_write_end(struct tm_reader_slices *twins, uint64_t uuid, int64_t ts_ns,
                                          const tm_slice_label label[2], int64_t id, struct tm_error *err)
{
    uint32_t number = number_of(twins, uuid);
    struct tm_slice_end end;
    int64_t meant;
    enum tm_status st = tm_slices_meant(&twins->written, number, ts_ns, label, &meant, &tm_slices_no_rows, err);
    if (st < 0 || meant != id)
        return st < 0 ? st : TM_END;
    st = tm_slices_end(&twins->written, number, ts_ns, label, &end, &tm_slices_no_rows, err);
    return st < 0 ? st : TM_OK;
}

void tm_reader_slices_pass(struct tm_reader_slices *twins)
{
    twins->cut.count = 0;
}

enum tm_status tm_reader_slices_overtaken(struct tm_reader_slices *twins, uint64_t uuid, int64_t ts_ns,
                                          const struct tm_slice_ids **shown, struct tm_error *err)
{
    struct tm_slice_ids *s = &twins->shown;
    s->count = 0;
    tm_slices_foresee(&twins->written, number_of(twins, uuid), ts_ns, add, s);
    *shown = s;
    return s->failed ? tm_error_nomem(err) : TM_OK;
}

bool tm_slice_ids_have(const struct tm_slice_ids *list, int64_t id, int64_t dur_ns)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->ids[i] == id && list->durs_ns[i] == dur_ns)
            return true;
    return false;
}

enum tm_status tm_reader_slices_above(struct tm_reader_slices *twins, uint64_t uuid, int64_t id,
                                      const struct tm_slice_ids **shown, struct tm_error *err)
{
    struct tm_slice_ids *s = &twins->shown;
    uint32_t number = number_of(twins, uuid);
    struct tm_slice_view at;
    bool seen = false;
    s->count = 0;
    for (uint32_t i = 0; tm_slices_at(&twins->written, number, i, &at); i++) {
        if (seen && at.is_open)
            add(s, at.id, 0);
        seen |= at.id == id;
    }
    *shown = s;
    return s->failed ? tm_error_nomem(err) : TM_OK;
}

bool tm_reader_slices_is_open(const struct tm_reader_slices *twins, uint64_t uuid, int64_t id, int64_t *ts_ns)
{
    uint32_t number = number_of(twins, uuid);
    struct tm_slice_view at;
    for (uint32_t i = 0; tm_slices_at(&twins->written, number, i, &at); i++) {
        if (at.id != id)
            continue;
        *ts_ns = at.ts;
        return at.is_open;
    }
    return false;
}

bool tm_reader_slices_waits(const struct tm_reader_slices *twins, uint64_t uuid)
{
    return tm_slices_is_open(&twins->said, number_of(twins, uuid));
}

void tm_reader_slices_forget(struct tm_reader_slices *twins, uint64_t uuid, int64_t id)
{
    tm_slices_forget(&twins->written, number_of(twins, uuid), id);
}

void tm_reader_slices_release(struct tm_reader_slices *twins)
{
    tm_slices_release(&twins->said);
    tm_slices_release(&twins->written);
    tm_map_release(&twins->by_track);
    free(twins->cut.ids);
    free(twins->cut.durs_ns);
    free(twins->shown.ids);
    free(twins->shown.durs_ns);
    *twins = (struct tm_reader_slices){0};
}
