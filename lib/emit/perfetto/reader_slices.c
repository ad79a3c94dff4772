#include "emit/perfetto/reader_slices.h"

#include "base/table.h"

#include <stdlib.h>

static enum tm_status add(struct tm_early_ends *list, int64_t id, int64_t dur_ns, struct tm_error *err)
{
    enum tm_status st = tm_array_grow(&list->ends, &list->cap, list->count, sizeof *list->ends, err);
    if (st == TM_OK)
        list->ends[list->count++] = (struct tm_early_end){id, dur_ns};
    return st;
}

static enum tm_status add_cut(void *self, const struct tm_open_slice *cut, uint32_t count, int64_t end_ns,
                              struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = count; i-- > 0 && st == TM_OK;)
        st = add(self, cut[i].id, end_ns - cut[i].ts, err);
    return st;
}

static enum tm_status ignore_begin(void *self, const struct tm_slice_row *row, struct tm_error *err)
{
    (void)self, (void)row, (void)err;
    return TM_OK;
}

static enum tm_status note_cut(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    (void)arg_set;
    return add(self, id, dur, err);
}

/* Returns the number of track UUID; 0 if it is not followed. */
static uint32_t number_of(struct tm_reader_slices *slices, uint64_t uuid)
{
    uint32_t number;
    return tm_track_numbers_find(&slices->tracks, uuid, &number) ? number : 0;
}

bool tm_reader_slices_has(struct tm_reader_slices *slices, uint64_t uuid)
{
    uint32_t number;
    return tm_track_numbers_find(&slices->tracks, uuid, &number);
}

enum tm_status tm_reader_slices_follow(struct tm_reader_slices *slices, uint64_t uuid)
{
    if (tm_reader_slices_has(slices, uuid))
        return TM_END;
    slices->cut_rows = (struct tm_rows){.self = &slices->cut, .slice = ignore_begin, .slice_end = note_cut};
    slices->stated.rows = &slices->cut_rows;
    return tm_track_numbers_add(&slices->tracks, uuid);
}

static struct tm_slice_row row_of(struct tm_reader_slices *slices, const struct tm_reader_event *event)
{
    return (struct tm_slice_row){.ts = event->ts_ns,
                                 .dur = event->dur_ns,
                                 .track = number_of(slices, event->uuid),
                                 .arg_set = TM_NO_ID};
}

static struct tm_stated_end end_of(const struct tm_reader_event *event)
{
    return (struct tm_stated_end){event->ts_ns, {event->label[0], event->label[1]}};
}

enum tm_status tm_reader_slices_begin(struct tm_reader_slices *slices, const struct tm_reader_event *event, int64_t *id,
                                      struct tm_error *err)
{
    struct tm_slice_row row = row_of(slices, event);
    bool crosses;
    tm_reader_slices_pass(slices);
    *id = slices->stated.next_id = slices->next_id++;
    enum tm_status st = tm_slices_begin(&slices->stated, &row, event->label, &crosses, err);
    return st < 0 ? st : crosses ? TM_END : TM_OK;
}

enum tm_status tm_reader_slices_write_begin(struct tm_reader_slices *slices, const struct tm_reader_event *event,
                                            int64_t id, struct tm_error *err)
{
    struct tm_slice_row row = row_of(slices, event);
    bool crosses;
    slices->written.next_id = id;
    enum tm_status st = tm_slices_begin(&slices->written, &row, event->label, &crosses, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_reader_slices_end(struct tm_reader_slices *slices, struct tm_reader_event *event, int64_t *id,
                                    struct tm_error *err)
{
    const uint32_t number = number_of(slices, event->uuid);
    const struct tm_stated_end end = end_of(event);
    struct tm_open_slice ended;
    tm_reader_slices_pass(slices);
    enum tm_status st = tm_slices_end(&slices->stated, number, &end, &ended, err);
    *id = TM_NO_ID;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    *id = ended.id;
    event->label[0] = ended.label[0];
    event->label[1] = ended.label[1];
    return TM_OK;
}

enum tm_status tm_reader_slices_write_end(struct tm_reader_slices *slices, const struct tm_reader_event *event,
                                          int64_t id, struct tm_error *err)
{
    struct tm_slices *written = &slices->written;
    const uint32_t number = number_of(slices, event->uuid);
    const struct tm_stated_end end = end_of(event);
    struct tm_open_slice ended;
    int64_t ended_id;
    enum tm_status st = tm_slices_find_ended(written, number, &end, &ended_id, err);
    if (st < 0 || ended_id != id)
        return st < 0 ? st : TM_END;
    st = tm_slices_end(written, number, &end, &ended, err);
    return st < 0 ? st : TM_OK;
}

void tm_reader_slices_pass(struct tm_reader_slices *slices)
{
    slices->cut.count = 0;
}

enum tm_status tm_reader_slices_ended_early(struct tm_reader_slices *slices, uint64_t uuid, int64_t ts_ns,
                                            const struct tm_early_ends **shown, struct tm_error *err)
{
    const struct tm_slice_cut cut = {&slices->shown, add_cut};
    slices->shown.count = 0;
    *shown = &slices->shown;
    return tm_slices_predict(&slices->written, number_of(slices, uuid), ts_ns, &cut, err);
}

bool tm_early_ends_have(const struct tm_early_ends *list, struct tm_early_end end)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->ends[i].id == end.id && list->ends[i].dur_ns == end.dur_ns)
            return true;
    return false;
}

enum tm_status tm_reader_slices_above(struct tm_reader_slices *slices, uint64_t uuid, int64_t id,
                                      const struct tm_early_ends **shown, struct tm_error *err)
{
    uint32_t number = number_of(slices, uuid);
    struct tm_slice_view at;
    bool seen = false;
    enum tm_status st = TM_OK;
    slices->shown.count = 0;
    *shown = &slices->shown;
    for (uint32_t i = 0; st == TM_OK && tm_slices_at(&slices->written, number, i, &at); i++) {
        if (seen && at.is_open)
            st = add(&slices->shown, at.id, 0, err);
        seen |= at.id == id;
    }
    return st;
}

bool tm_reader_slices_is_open(struct tm_reader_slices *slices, uint64_t uuid, int64_t id, int64_t *ts_ns)
{
    uint32_t number = number_of(slices, uuid);
    struct tm_slice_view at;
    for (uint32_t i = 0; tm_slices_at(&slices->written, number, i, &at); i++) {
        if (at.id != id)
            continue;
        *ts_ns = at.ts;
        return at.is_open;
    }
    return false;
}

bool tm_reader_slices_need_end(struct tm_reader_slices *slices, uint64_t uuid)
{
    return tm_slices_is_open(&slices->stated, number_of(slices, uuid));
}

void tm_reader_slices_remove(struct tm_reader_slices *slices, uint64_t uuid, int64_t id)
{
    tm_slices_remove(&slices->written, number_of(slices, uuid), id);
}

void tm_reader_slices_release(struct tm_reader_slices *slices)
{
    tm_slices_release(&slices->stated);
    tm_slices_release(&slices->written);
    tm_track_numbers_release(&slices->tracks);
    free(slices->cut.ends);
    free(slices->shown.ends);
    *slices = (struct tm_reader_slices){0};
}
