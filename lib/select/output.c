/* Writes kept rows to the output. */
#include "select/internal.h"

#include "kernel/tracks.h"

/* A range of at least so many rows is written as a view of its batch. A shorter one is copied. */
enum { RANGE_ROWS_MIN = 32 };

static enum tm_status flush_rows(struct tm_select *s, struct tm_error *err)
{
    struct tm_batch batch;
    if (s->out.count == 0)
        return TM_OK;
    tm_batch_builder_view(&s->out, &batch);
    enum tm_status st = s->receiver->show(s->receiver->self, &batch, err);
    tm_batch_builder_clear(&s->out);
    return st;
}

static enum tm_status add_row(struct tm_select *s, const struct tm_event *row, struct tm_error *err)
{
    if (tm_batch_builder_full(&s->out)) {
        enum tm_status st = flush_rows(s, err);
        if (st < 0)
            return st;
    }
    return tm_batch_builder_add(&s->out, row) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Returns RANGE of the current batch as a view. */
static struct tm_batch view_of(const struct tm_batch *batch, const struct tm_select_range *range)
{
    struct tm_batch part = *batch;
    for (enum tm_column c = TM_COL_TIME_NS; c < TM_COL_COUNT; c++)
        if (!tm_batch_is_constant(batch, c))
            part.cols[c].data += (size_t)range->first * tm_column_width(c);
    part.count = range->count;
    part.payload = range->payload;
    part.payload_bytes = (size_t)(range->payload_end - range->payload);
    return part;
}

static enum tm_status flush_range(struct tm_select *s, struct tm_error *err)
{
    struct tm_event row;
    enum tm_status st = TM_OK;
    if (s->range.count == 0)
        return TM_OK;
    const struct tm_batch part = view_of(s->batch, &s->range);
    struct tm_batch_walk walk = {.batch = &part};
    s->range.count = 0;
    if (part.count >= RANGE_ROWS_MIN) {
        st = flush_rows(s, err);
        return st < 0 ? st : s->receiver->show(s->receiver->self, &part, err);
    }
    while (st == TM_OK && tm_batch_next(&walk, &row))
        st = add_row(s, &row, err);
    return st;
}

static enum tm_status write_name(struct tm_select *s, const struct tm_event *e, int64_t tid, struct tm_error *err)
{
    struct tm_event name;
    enum tm_status st = tm_hidden_tasks_name_row(&s->tasks, e, tid, &name, err);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = flush_range(s, err);
    return st < 0 ? st : add_row(s, &name, err);
}

/* Writes the process of a thread that E names. */
static enum tm_status write_process(struct tm_select *s, const struct tm_event *e, int64_t tid, struct tm_error *err)
{
    struct tm_event row;
    enum tm_status st = tm_hidden_tasks_process_row(&s->tasks, e, tid, &row);
    if (st == TM_OK && (st = flush_range(s, err)) == TM_OK)
        st = add_row(s, &row, err);
    return st < 0 ? st : TM_OK;
}

/* Writes what is due about the threads that E shows: names that E does not state, and processes. */
static enum tm_status write_names(struct tm_select *s, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st;
    int64_t tid;
    if (e->flags & (TM_EVENT_DEFINITION | TM_EVENT_DERIVED))
        return TM_OK;
    if (e->kind == TM_KIND_SCHED_WAKING && e->flags & TM_EVENT_HAS_PID && (st = write_name(s, e, e->pid, err)) < 0)
        return st;
    if (e->kind == TM_KIND_SCHED_SWITCH && e->flags & TM_EVENT_HAS_PID && (st = write_process(s, e, e->pid, err)) < 0)
        return st;
    if (e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING)
        return e->flags & TM_EVENT_HAS_TID ? write_process(s, e, e->tid, err) : TM_OK;
    if (e->kind == TM_KIND_TASK_NEW)
        return write_process(s, e, e->pid, err);
    if (e->kind >= TM_KIND_SCHED_SWITCH && e->kind <= TM_KIND_PROCESS_EXIT)
        return TM_OK;
    if (e->flags & TM_EVENT_HAS_TID)
        return write_name(s, e, e->tid, err);
    if (tm_event_scope(e->flags) == TM_SCOPE_TRACK && tm_track_names_thread(&s->tracks, e->file, e->track, &tid))
        return write_name(s, e, tid, err);
    return TM_OK;
}

/* Writes the pending definitions of KEY. */
static enum tm_status release(struct tm_select *s, const struct tm_key *key, struct tm_error *err)
{
    struct tm_event row;
    uint32_t count;
    enum tm_status st = tm_pending_rows_take(&s->pending_rows, key, &count, err);
    if (st < 0 || count == 0 || (st = flush_range(s, err)) < 0)
        return st;
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        if ((st = tm_pending_rows_get(&s->pending_rows, i, &row, err)) == TM_OK)
            st = add_row(s, &row, err);
    return st;
}

/* Writes the definitions of track UUID, after those of its parents. */
static enum tm_status release_track(struct tm_select *s, uint32_t file, uint64_t uuid, struct tm_error *err)
{
    uint64_t chain[TM_TRACK_DEPTH_MAX] = {uuid};
    enum tm_status st = TM_OK;
    int depth = 1;
    while (depth < TM_TRACK_DEPTH_MAX && tm_track_names_parent(&s->tracks, file, chain[depth - 1], &chain[depth]))
        depth++;
    while (depth > 0 && st == TM_OK) {
        struct tm_key key = tm_pending_rows_of_track(file, chain[--depth]);
        st = release(s, &key, err);
    }
    return st;
}

/* Writes the definitions that ROW needs. */
static enum tm_status release_needed(struct tm_select *s, const struct tm_event *row, struct tm_error *err)
{
    struct tm_key key = tm_pending_rows_of_generation(row->generation);
    bool is_on_track = (row->flags & TM_EVENT_HAS_TRACK && !tm_kernel_track_of(row)) ||
                       tm_event_scope(row->flags) == TM_SCOPE_TRACK;
    enum tm_status st = TM_OK;
    if (row->generation && row->kind != TM_KIND_TRACK)
        st = release(s, &key, err);
    return st < 0 || !is_on_track ? st : release_track(s, row->file, row->track, err);
}

/* Writes what is due before ROWS, and notes what ROWS state. Rows from before `from` may belong to tasks whose
 * numbers have been reused since. */
static enum tm_status write_group(struct tm_select *s, const struct tm_event *rows, uint32_t count, bool was_pending,
                                  struct tm_error *err)
{
    bool is_early = was_pending && rows->time_ns < s->from_ns;
    enum tm_status st = tm_hidden_tasks_any_due(&s->tasks) && !is_early ? write_names(s, rows, err) : TM_OK;
    for (uint32_t i = 0; i < count && st == TM_OK; i++) {
        if (tm_pending_rows_any(&s->pending_rows))
            st = release_needed(s, &rows[i], err);
        if (st == TM_OK && !was_pending)
            st = tm_hidden_tasks_learn(&s->tasks, &rows[i], err);
        if (st == TM_OK)
            st = tm_hidden_tasks_shown(&s->tasks, &rows[i], err);
    }
    return st;
}

/* Writes ROWS. WAS_PENDING: they were pending, and s->tasks has learned from them. */
static enum tm_status put(struct tm_select *s, const struct tm_event *rows, uint32_t count, bool was_pending,
                          struct tm_error *err)
{
    enum tm_status st = write_group(s, rows, count, was_pending, err);
    if (st == TM_OK)
        st = flush_range(s, err);
    for (uint32_t i = 0; i < count && st == TM_OK; i++)
        st = add_row(s, &rows[i], err);
    return st;
}

enum tm_status tm_select_put(struct tm_select *s, const struct tm_event *rows, uint32_t count, struct tm_error *err)
{
    return put(s, rows, count, false, err);
}

enum tm_status tm_select_put_pending(struct tm_select *s, const struct tm_event *rows, uint32_t count,
                                     struct tm_error *err)
{
    return put(s, rows, count, true, err);
}

enum tm_status tm_select_name_pending(struct tm_select *s, struct tm_error *err)
{
    struct tm_event e = {.time_ns = s->from_ns};
    uint32_t i = 0;
    int64_t tid;
    enum tm_status st = TM_OK;
    bool by_name;
    while (st == TM_OK && tm_task_lifetimes_next_shown(&s->lifetimes, &i, &e.machine, &tid, &by_name))
        st = by_name ? write_name(s, &e, tid, err) : write_process(s, &e, tid, err);
    return st;
}

enum tm_status tm_select_put_batch_rows(struct tm_select *s, const struct tm_event *rows, uint32_t count,
                                        uint32_t first, struct tm_error *err)
{
    const struct tm_event *last = &rows[count - 1];
    struct tm_select_range *range = &s->range;
    enum tm_status st = write_group(s, rows, count, false, err);
    if (st == TM_OK && range->first + range->count != first)
        st = flush_range(s, err);
    if (range->count == 0)
        *range = (struct tm_select_range){.first = first, .payload = rows->raw};
    range->count += count;
    range->payload_end = last->detail + last->detail_bytes;
    return st;
}

enum tm_status tm_select_flush(struct tm_select *s, struct tm_error *err)
{
    enum tm_status st = flush_range(s, err);
    return st < 0 ? st : flush_rows(s, err);
}
