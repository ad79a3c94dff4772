#include "emit/slice_twins.h"

static enum tm_status no_slice(void *self, const struct tm_slice_row *row, struct tm_error *err)
{
    (void)self, (void)row, (void)err;
    return TM_OK;
}

static enum tm_status no_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    (void)self, (void)id, (void)dur, (void)arg_set, (void)err;
    return TM_OK;
}

static const struct tm_rows nobody = {.slice = no_slice, .slice_end = no_end};

/* Its number; it is followed. */
static uint32_t number_of(const struct tm_slice_twins *twins, uint64_t uuid)
{
    uint32_t number = 0;
    (void)tm_map_find(&twins->by_track, uuid, &number);
    return number;
}

bool tm_slice_twins_has(const struct tm_slice_twins *twins, uint64_t uuid)
{
    uint32_t number;
    return tm_map_find(&twins->by_track, uuid, &number);
}

enum tm_status tm_slice_twins_follow(struct tm_slice_twins *twins, uint64_t uuid)
{
    if (tm_slice_twins_has(twins, uuid))
        return TM_END;
    return tm_map_set(&twins->by_track, uuid, twins->by_track.count);
}

enum tm_status tm_slice_twins_begin(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns, int64_t dur_ns,
                                    const tm_slice_label label[2], int64_t *id, struct tm_error *err)
{
    struct tm_slice_row row = {.ts = ts_ns, .dur = dur_ns, .track = number_of(twins, uuid), .arg_set = TM_NO_ID};
    bool crosses;
    enum tm_status st = TM_OK;
    *id = twins->said.next_id = twins->written.next_id = twins->next_id++;
    if (dur_ns != TM_TWIN_ENDLESS)
        st = tm_slices_begin(&twins->said, &row, label, &crosses, &nobody, err);
    row.dur = -1;
    if (st >= 0)
        st = tm_slices_begin(&twins->written, &row, label, &crosses, &nobody, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_slice_twins_end(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns, tm_slice_label label[2],
                                  int64_t *id, struct tm_error *err)
{
    struct tm_slice_end end;
    enum tm_status st = tm_slices_end(&twins->said, number_of(twins, uuid), ts_ns, label, &end, &nobody, err);
    *id = TM_NO_ID;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    *id = end.id;
    label[0] = end.label[0];
    label[1] = end.label[1];
    return TM_OK;
}

enum tm_status tm_slice_twins_write(struct tm_slice_twins *twins, uint64_t uuid, int64_t ts_ns,
                                    const tm_slice_label label[2], int64_t id, struct tm_error *err)
{
    uint32_t number = number_of(twins, uuid);
    struct tm_slice_end end;
    int64_t meant;
    enum tm_status st = tm_slices_meant(&twins->written, number, ts_ns, label, &meant, &nobody, err);
    if (st < 0 || meant != id)
        return st < 0 ? st : TM_END;
    st = tm_slices_end(&twins->written, number, ts_ns, label, &end, &nobody, err);
    return st < 0 ? st : TM_OK;
}

void tm_slice_twins_release(struct tm_slice_twins *twins)
{
    tm_slices_release(&twins->said);
    tm_slices_release(&twins->written);
    tm_map_release(&twins->by_track);
    *twins = (struct tm_slice_twins){0};
}
