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
    const tm_slice_label label[2] = {end->name, end->category};
    const int64_t now_ns = w->group_ns;
    if (tm_reader_slices_follow(&w->reader, end->uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st =
        tm_reader_slices_begin(&w->reader, end->uuid, now_ns, end->end_ns - now_ns, label, &end->reader_id, err);
    return st < 0 ? st : tm_reader_slices_write_begin(&w->reader, end->uuid, now_ns, -1, label, end->reader_id, err);
}

enum tm_status tm_track_ends_follow(struct tm_track_writer *w, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (w->has_begins)
        return TM_OK;
    w->has_begins = true;
    struct tm_open_end **open = malloc((w->ends.count + (size_t)1) * sizeof(struct tm_open_end *));
    if (open == NULL)
        return tm_error_nomem(err);
    for (uint32_t i = 0; i < w->ends.count; i++)
        open[i] = &w->ends.heap[i];
    qsort(open, w->ends.count, sizeof *open, by_order);
    for (uint32_t i = 0; i < w->ends.count && st == TM_OK; i++)
        st = follow_end(w, open[i], err);
    free(open);
    return st;
}

enum tm_status tm_track_ends_begin(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid, int64_t dur_ns,
                                   int64_t *reader_id, struct tm_error *err)
{
    const tm_slice_label label[2] = {tm_end_label_of(w, e, e->name), tm_end_label_of(w, e, e->category)};
    if (tm_reader_slices_follow(&w->reader, uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_reader_slices_begin(&w->reader, uuid, e->time_ns, dur_ns, label, reader_id, err);
    return st != TM_OK ? st : tm_deferred_choice_clear(w, e, uuid, err);
}

enum tm_status tm_track_ends_begun(struct tm_track_writer *w, const struct tm_event *e, uint64_t uuid, int64_t dur_ns,
                                   int64_t reader_id, struct tm_error *err)
{
    const tm_slice_label label[2] = {tm_end_label_of(w, e, e->name), tm_end_label_of(w, e, e->category)};
    return tm_reader_slices_write_begin(&w->reader, uuid, e->time_ns, dur_ns, label, reader_id, err);
}

enum tm_status tm_track_ends_mean(struct tm_track_writer *w, struct tm_event *e, uint64_t uuid, struct tm_error *err)
{
    tm_slice_label label[2] = {tm_end_label_of(w, e, e->name), tm_end_label_of(w, e, e->category)};
    int64_t reader_id;
    if (tm_reader_slices_follow(&w->reader, uuid) < 0)
        return tm_error_nomem(err);
    enum tm_status st = tm_reader_slices_end(&w->reader, uuid, e->time_ns, label, &reader_id, err);
    if (st < 0 || (st = tm_deferred_choice_clear(w, e, uuid, err)) < 0)
        return st;
    do /* a complete event that the end would end instead moves to its lane */
        st = tm_end_label_write(w, e, uuid, reader_id, label, err);
    while (st == TM_END && reader_id != TM_NO_ID &&
           (st = tm_deferred_choice_move_above(w, uuid, reader_id, err)) == TM_OK);
    return st;
}
