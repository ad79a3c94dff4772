#include "emit/perfetto/track_ends.h"

#include "emit/perfetto/deferred_choice.h"
#include "emit/perfetto/end_label.h"

#include <stdlib.h>

static int by_order(const void *a, const void *b)
{
    const struct tm_open_end *const *x = a, *const *y = b;
    return ((*x)->order > (*y)->order) - ((*x)->order < (*y)->order);
}

static enum tm_status follow_end(struct tm_track_writer *w, struct tm_open_end *end, struct tm_error *err)
{
    struct tm_reader_event event = {end->uuid, w->group_ns, end->end_ns - w->group_ns, {end->name, end->category}};
    if (tm_reader_slices_follow(&w->reader, end->uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_reader_slices_begin(&w->reader, &event, &end->reader_id, err);
    event.dur_ns = -1;
    return st < 0 ? st : tm_reader_slices_write_begin(&w->reader, &event, end->reader_id, err);
}

enum tm_status tm_track_ends_follow(struct tm_track_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->has_begins)
        return TM_OK;
    w->has_begins = true;
    const uint32_t count = tm_open_ends_count(&w->ends);
    struct tm_open_end **open = malloc((count + (size_t)1) * sizeof(struct tm_open_end *));
    if (open == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < count; i++)
        open[i] = tm_open_ends_get(&w->ends, i);
    qsort(open, count, sizeof *open, by_order);
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = follow_end(w, open[i], err);
    free(open);
    return st;
}

static struct tm_reader_event event_of(const struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid,
                                       int64_t dur_ns)
{
    return (struct tm_reader_event){
        uuid, e->time_ns, dur_ns, {tm_end_label_of(w, e, e->name), tm_end_label_of(w, e, e->category)}};
}

enum tm_status tm_track_ends_begin(struct tm_track_writer *w, const struct tm_event *e, struct tm_track_slice *slice,
                                   struct tm_error *err)
{
    const struct tm_reader_event event = event_of(w, e, slice->uuid, slice->dur_ns);
    if (tm_reader_slices_follow(&w->reader, slice->uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_reader_slices_begin(&w->reader, &event, &slice->reader_id, err);
    return st != TM_OK ? st : tm_deferred_choice_clear(w, e, slice->uuid, err);
}

enum tm_status tm_track_ends_begun(struct tm_track_writer *w, const struct tm_event *e,
                                   const struct tm_track_slice *slice, struct tm_error *err)
{
    const struct tm_reader_event event = event_of(w, e, slice->uuid, slice->dur_ns);
    return tm_reader_slices_write_begin(&w->reader, &event, slice->reader_id, err);
}

enum tm_status tm_track_ends_label(struct tm_track_writer *w, struct tm_event *e, uint64_t uuid, struct tm_error *err)
{
    struct tm_reader_event event = event_of(w, e, uuid, 0);
    int64_t reader_id;
    if (tm_reader_slices_follow(&w->reader, uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_reader_slices_end(&w->reader, &event, &reader_id, err);
    if (st < 0 || (st = tm_deferred_choice_clear(w, e, uuid, err)) < 0)
        return st;
    do /* a complete event that the end would end instead moves to its lane */
        st = tm_end_label_write(w, e, &event, reader_id, err);
    while (st == TM_END && reader_id != TM_NO_ID &&
           (st = tm_deferred_choice_move_above(w, uuid, reader_id, err)) == TM_OK);
    return st;
}
