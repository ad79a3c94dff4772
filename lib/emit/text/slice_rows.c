#include "emit/text/slice_rows.h"

#include "base/pb.h"
#include "stream/kind_name.h"

enum { NO_NUMBER = -1, NO_SET = -2 };

static struct tm_buf_view view_of(const struct tm_buf *buf)
{
    return (struct tm_buf_view){buf->data, buf->len};
}

static enum tm_status check_memory(const struct tm_slice_rows *r, struct tm_error *err)
{
    return r->out.failed || r->before.failed || r->after.failed || r->number.failed ? tm_error_nomem(err) : TM_OK;
}

/* Writes a row that is complete. */
static enum tm_status write_row(struct tm_slice_rows *r, const struct tm_unfinished_row *row, struct tm_error *err)
{
    enum tm_status st = tm_arg_tree_read(&r->tree, row->args.data, row->args.len, err);
    if (st < 0)
        return st;
    tm_out_bytes(&r->out, row->before.data, row->before.len);
    r->form->duration(&r->out, row->end, row->dur);
    tm_out_bytes(&r->out, row->after.data, row->after.len);
    r->form->args(r->self, &r->out, &r->tree);
    return tm_out_end_row(&r->out, err);
}

static enum tm_status write_ready(struct tm_slice_rows *r, bool all, struct tm_error *err)
{
    struct tm_unfinished_row row;
    enum tm_status st;
    while ((st = tm_unfinished_rows_take(&r->pending, all, &row, err)) == TM_OK &&
           (st = write_row(r, &row, err)) == TM_OK)
        ;
    return st < 0 ? st : TM_OK;
}

/* The end of a row: its duration, and the number by which the model adds to it. */
struct ending {
    enum tm_unfinished_end end;
    int64_t dur;
    enum tm_unfinished_series series;
    int64_t number;
};

/* Writes ROW with the current args, or makes it pending. */
static enum tm_status put_row(struct tm_slice_rows *r, const struct tm_row *row, const struct ending *ending,
                              struct tm_error *err)
{
    tm_buf_clear(&r->before.buf);
    tm_buf_clear(&r->after.buf);
    r->form->before(r->self, &r->before, row);
    r->form->after(r->self, &r->after, row);
    const struct tm_unfinished_row pending = {.end = ending->end,
                                              .dur = ending->dur,
                                              .before = view_of(&r->before.buf),
                                              .after = view_of(&r->after.buf),
                                              .args = view_of(&r->args)};
    enum tm_status st = check_memory(r, err);
    if (st == TM_OK && ending->end != TM_ROW_OPEN && !tm_unfinished_rows_any(&r->pending))
        st = write_row(r, &pending, err);
    else if (st == TM_OK)
        st = tm_unfinished_rows_add(&r->pending, &pending, ending->series, ending->number, err);
    r->has_row = true;
    r->args_set = NO_SET;
    tm_buf_clear(&r->args);
    return st;
}

/* Fills ROW from the current event. */
static enum tm_status begin_row(struct tm_slice_rows *r, struct tm_row *row, struct tm_error *err)
{
    const struct tm_catalog *catalog = r->context->catalog;
    const struct tm_event *e = r->event;
    const struct tm_catalog_machine *m = tm_catalog_machine(catalog, e->machine);
    struct tm_text path;
    if (tm_paths_get(&r->paths, catalog, e->file, &path) < 0)
        return tm_error_nomem(err);
    *row = (struct tm_row){.kind = tm_name_of_kind(e->kind),
                           .event = e,
                           .name = tm_catalog_string(catalog, e->name, e),
                           .category = tm_catalog_string(catalog, e->category, e),
                           .machine_id = m ? m->raw_id : (int64_t)e->machine,
                           .file = path,
                           .has_other = tm_task_names_has_other(e),
                           .other_tid = e->pid};
    if (m)
        row->machine = m->name.len == 0 && m->raw_id == 0 ? tm_text_str("host") : m->name;
    tm_task_names_find(&r->names, e, &row->place);
    row->track = row->place.track;
    return TM_OK;
}

static struct tm_text track_name(const struct tm_slice_rows *r, uint32_t track)
{
    return tm_tracks_text(&r->model.layout.tracks, r->model.layout.tracks.rows[track].name);
}

/* Drops the current args unless they belong to SET. */
static void use_args(struct tm_slice_rows *r, int64_t set)
{
    if (r->args_set != set)
        tm_buf_clear(&r->args);
    r->args_set = NO_SET;
}

static enum tm_status take_slice(void *self, const struct tm_slice_row *slice, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    struct tm_row row;
    enum tm_status st = begin_row(r, &row, err);
    if (st < 0)
        return st;
    uint32_t kind = r->event->kind == TM_KIND_SLICE_BEGIN ? TM_KIND_SLICE_COMPLETE : r->event->kind;
    struct tm_text name = track_name(r, slice->track);
    row.kind = tm_name_of_kind(kind);
    row.name = slice->name;
    row.category = slice->category;
    row.has_depth = true;
    row.depth = slice->depth;
    row.track = name.len ? name : row.track;
    use_args(r, slice->arg_set);
    struct ending ending = {TM_ROW_INSTANT, slice->dur, TM_SERIES_SLICES, slice->id};
    if (kind == TM_KIND_SLICE_COMPLETE)
        ending.end = slice->dur < 0 ? TM_ROW_OPEN : TM_ROW_ENDED;
    return put_row(r, &row, &ending, err);
}

static enum tm_status take_slice_end(void *self, int64_t id, int64_t dur, int64_t arg_set, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    use_args(r, arg_set);
    const struct tm_row_update update = {TM_SERIES_SLICES, id, dur, view_of(&r->args)};
    enum tm_status st = tm_unfinished_rows_update(&r->pending, &update, err);
    tm_buf_clear(&r->args);
    r->has_row = r->has_row || r->event->kind == TM_KIND_SLICE_END; /* other events have rows of their own */
    return st < 0 ? st : write_ready(r, false, err);
}

static enum tm_status take_counter(void *self, const struct tm_counter_row *counter, struct tm_error *err)
{
    static const struct ending none = {TM_ROW_NO_DURATION, 0, TM_SERIES_SLICES, NO_NUMBER};
    struct tm_slice_rows *r = self;
    struct tm_row row;
    enum tm_status st = begin_row(r, &row, err);
    if (st < 0)
        return st;
    struct tm_text name = track_name(r, counter->track);
    row.name = name.len ? name : row.name.len ? row.name : row.track;
    row.track = row.name;
    use_args(r, counter->arg_set);
    return put_row(r, &row, &none, err);
}

static enum tm_status add_arg(struct tm_slice_rows *r, const char *key, struct tm_text value, bool is_text,
                              struct tm_error *err)
{
    const struct tm_arg_value arg = {tm_text_str(key), value, is_text};
    return tm_arg_list_add(&r->args, &arg) < 0 ? tm_error_nomem(err) : TM_OK;
}

static struct tm_text number_text(struct tm_slice_rows *r, int64_t v)
{
    tm_buf_clear(&r->number.buf);
    tm_out_i64(&r->number, v);
    return (struct tm_text){r->number.buf.data, r->number.buf.len};
}

/* Begins the row of the task that runs from the current event on. */
static enum tm_status take_run(void *self, const struct tm_sched_row *run, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    const struct tm_event task = {.kind = r->event->kind,
                                  .machine = r->event->machine,
                                  .file = r->event->file,
                                  .tid = r->event->kind == TM_KIND_TASK_STATE ? r->event->tid : r->event->pid,
                                  .flags = TM_EVENT_HAS_TID | tm_event_scope_flags(TM_SCOPE_THREAD)};
    const struct ending ending = {TM_ROW_OPEN, -1, TM_SERIES_RUNS, run->id};
    struct tm_row row;
    enum tm_status st = begin_row(r, &row, err);
    if (st < 0)
        return st;
    tm_task_names_find(&r->names, &task, &row.place);
    row.kind = "sched";
    row.category = row.track = (struct tm_text){0};
    if (row.name.len == 0)
        row.name = row.place.thread;
    row.has_other = false;
    use_args(r, TM_NO_ID);
    tm_buf_clear(&r->args);
    if (run->has_priority && (st = add_arg(r, "priority", number_text(r, run->priority), false, err)) < 0)
        return st;
    return put_row(r, &row, &ending, err);
}

static enum tm_status take_run_end(void *self, int64_t id, int64_t dur, struct tm_text end_state, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    enum tm_status st = TM_OK;
    tm_buf_clear(&r->args);
    if (end_state.data)
        st = add_arg(r, "end_state", end_state, true, err);
    const struct tm_row_update update = {TM_SERIES_RUNS, id, dur, view_of(&r->args)};
    if (st == TM_OK)
        st = tm_unfinished_rows_update(&r->pending, &update, err);
    tm_buf_clear(&r->args);
    r->has_row = true;
    return st < 0 ? st : write_ready(r, false, err);
}

/* Adds an arg to the current ones. */
static enum tm_status take_arg(struct tm_slice_rows *r, const struct tm_arg_row *row, struct tm_error *err)
{
    struct tm_arg_value arg = {.key = row->key, .value = row->string_value, .is_text = row->string_value.data != NULL};
    struct tm_out *out = &r->number;
    tm_buf_clear(&out->buf);
    if (arg.is_text)
        return tm_arg_list_add(&r->args, &arg) < 0 ? tm_error_nomem(err) : TM_OK;
    if (row->type == TM_ARG_BOOL)
        tm_out_str(out, row->int_value ? "true" : "false");
    else if (row->type == TM_ARG_INT)
        tm_out_i64(out, row->int_value);
    else if (row->has_int)
        tm_out_u64(out, (uint64_t)row->int_value);
    else if (row->has_real)
        tm_out_json_real(out, tm_pb_bits(row->real_value));
    else
        tm_out_str(out, "null");
    arg.value = (struct tm_text){out->buf.data, out->buf.len};
    if (arg.value.len && arg.value.data[0] == '"') { /* a number that JSON does not have */
        arg.value = (struct tm_text){arg.value.data + 1, arg.value.len - 2};
        arg.is_text = true;
    }
    return out->failed || tm_arg_list_add(&r->args, &arg) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Adds the args of SET to the current ones, after those of another set are dropped. */
static enum tm_status take_args(void *self, int64_t set, struct tm_text args, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    struct tm_pb pb = tm_pb_of(args.data, args.len);
    struct tm_arg_row row;
    enum tm_status st = TM_OK;
    if (r->args_set != set)
        tm_buf_clear(&r->args);
    r->args_set = set;
    while (st == TM_OK && tm_arg_next(&pb, &row))
        st = take_arg(r, &row, err);
    return st;
}

/* Begins set INTO without args, because the row already has those of FROM. */
static enum tm_status take_arg_copy(void *self, int64_t from, int64_t into, int64_t *id, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    (void)from;
    (void)err;
    tm_buf_clear(&r->args);
    r->args_set = into;
    ++*id;
    return TM_OK;
}

/* Rows of the model that are no rows of text, CSV and JSON lines. */

#define IGNORE_ROW(function, type)                                                                                     \
    static enum tm_status function(void *self, const struct type *row, struct tm_error *err)                           \
    {                                                                                                                  \
        (void)self, (void)row, (void)err;                                                                              \
        return TM_OK;                                                                                                  \
    }

IGNORE_ROW(ignore_sample, tm_sample_row)
IGNORE_ROW(ignore_mapping, tm_mapping_row)
IGNORE_ROW(ignore_frame, tm_frame_row)
IGNORE_ROW(ignore_callsite, tm_callsite_row)
IGNORE_ROW(ignore_log, tm_log_row)
IGNORE_ROW(ignore_state, tm_thread_state_row)
IGNORE_ROW(ignore_wakeup, tm_wakeup_row)
IGNORE_ROW(ignore_recording_time, tm_recording_time)

static enum tm_status ignore_flow(void *self, int64_t slice_out, int64_t slice_in, struct tm_error *err)
{
    (void)self, (void)slice_out, (void)slice_in, (void)err;
    return TM_OK;
}

static enum tm_status ignore_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err)
{
    (void)self, (void)id, (void)dur, (void)err;
    return TM_OK;
}

static enum tm_status ignore_state_reason(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                          struct tm_error *err)
{
    (void)self, (void)id, (void)io_wait, (void)function, (void)err;
    return TM_OK;
}

static enum tm_status ignore_cpu_frequency(void *self, int64_t ucpu, uint32_t khz, struct tm_error *err)
{
    (void)self, (void)ucpu, (void)khz, (void)err;
    return TM_OK;
}

/* False for events without rows: definitions, rows that only add to another event, and packets that no table shows. */
static bool is_shown(const struct tm_event *e)
{
    if (e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_CONTEXT))
        return false;
    if (e->flags & TM_EVENT_DERIVED && (e->kind == TM_KIND_BLOCKED_REASON || e->kind == TM_KIND_THREAD_STATE ||
                                         e->kind == TM_KIND_ALLOCATION || e->kind == TM_KIND_MEMORY ||
                                         e->kind == TM_KIND_TASK_STATE))
        return false;
    return e->kind != TM_KIND_PACKET && e->kind != TM_KIND_SLICE_ARGS && e->kind != TM_KIND_PROCESS &&
           e->kind != TM_KIND_THREAD;
}

/* Adds the row of the current event, for which the model made none. */
static enum tm_status put_event(struct tm_slice_rows *r, struct tm_error *err)
{
    const struct tm_event *e = r->event;
    struct ending ending = {TM_ROW_NO_DURATION, 0, TM_SERIES_SLICES, NO_NUMBER};
    struct tm_row row;
    int64_t set;
    enum tm_status st = begin_row(r, &row, err);
    if (st == TM_OK)
        st = tm_arg_sets_add(&r->own_args, e->detail, e->detail_bytes, &set, err);
    if (st < 0)
        return st;
    use_args(r, set);
    if (e->kind == TM_KIND_SLICE_COMPLETE && e->dur_ns >= 0) {
        ending.end = e->flags & TM_EVENT_OPEN_ENDED ? TM_ROW_UNKNOWN_END : TM_ROW_ENDED;
        ending.dur = e->dur_ns;
    } else if (e->kind == TM_KIND_SLICE_BEGIN) {
        ending.end = TM_ROW_UNKNOWN_END;
    }
    if (e->kind == TM_KIND_SCHED_WAKING && e->flags & TM_EVENT_HAS_VALUE &&
        ((st = add_arg(r, "prio", number_text(r, tm_event_waking_priority(e)), false, err)) < 0 ||
         (st = add_arg(r, "target_cpu", number_text(r, tm_event_waking_cpu(e)), false, err)) < 0))
        return st;
    return put_row(r, &row, &ending, err);
}

/* Called before the model takes E and, with IS_DONE, after it. Then adds a row if the model made none. */
static enum tm_status take_event(void *self, const struct tm_event *e, bool is_done, struct tm_error *err)
{
    struct tm_slice_rows *r = self;
    enum tm_status st = TM_OK;
    if (is_done) {
        bool is_unmatched = e->kind == TM_KIND_SLICE_END && r->model.slices.unmatched_ends != r->unmatched_ends;
        if ((!r->has_row || is_unmatched) && is_shown(e))
            st = put_event(r, err);
        r->event = NULL;
        return st;
    }
    r->event = e;
    r->has_row = false;
    r->unmatched_ends = r->model.slices.unmatched_ends;
    if (!r->has_first && !(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_CONTEXT))) {
        r->has_first = true;
        r->first_ns = r->context->has_origin ? r->context->origin_ns : e->time_ns;
    }
    return tm_task_names_learn(&r->names, e, err);
}

void tm_slice_rows_init(struct tm_slice_rows *r, const struct tm_emit_context *context,
                        const struct tm_row_form *form, void *self)
{
    r->context = context;
    r->form = form;
    r->self = self;
    r->args_set = NO_SET;
    r->pending.dir = context->options->temporary_dir;
    r->rows = (struct tm_rows){.self = r,
                               .slice = take_slice,
                               .slice_end = take_slice_end,
                               .counter = take_counter,
                               .sched = take_run,
                               .sched_end = take_run_end,
                               .args = take_args,
                               .arg_copy = take_arg_copy,
                               .flow = ignore_flow,
                               .sample = ignore_sample,
                               .mapping = ignore_mapping,
                               .frame = ignore_frame,
                               .callsite = ignore_callsite,
                               .log = ignore_log,
                               .thread_state = ignore_state,
                               .thread_state_end = ignore_state_end,
                               .thread_state_reason = ignore_state_reason,
                               .wakeup = ignore_wakeup,
                               .recording_time = ignore_recording_time,
                               .cpu_frequency = ignore_cpu_frequency,
                               .event = take_event};
    tm_out_init(&r->out, context->fd, context->options->out_path);
    tm_out_init(&r->before, -1, NULL);
    tm_out_init(&r->after, -1, NULL);
    tm_out_init(&r->number, -1, NULL);
    tm_task_names_init(&r->names, context->catalog);
    tm_model_init(&r->model, &r->rows, context->catalog);
    r->model.out.arg_sets.repeats = r->own_args.repeats = true;
    r->own_args.rows = &r->rows;
}

enum tm_status tm_slice_rows_batch(struct tm_slice_rows *r, const struct tm_frame *frame,
                                   const struct tm_batch *batch, struct tm_error *err)
{
    enum tm_status st = batch ? tm_model_batch(&r->model, batch, err) : TM_OK;
    return st == TM_E_INPUT ? tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset) : st;
}

enum tm_status tm_slice_rows_finish(struct tm_slice_rows *r, struct tm_error *err)
{
    enum tm_status st = tm_model_finish(&r->model, err);
    if (st == TM_OK)
        st = write_ready(r, true, err);
    return st < 0 ? st : tm_out_flush(&r->out, err);
}

void tm_slice_rows_release(struct tm_slice_rows *r)
{
    tm_model_release(&r->model);
    tm_arg_sets_release(&r->own_args);
    tm_unfinished_rows_release(&r->pending);
    tm_task_names_release(&r->names);
    tm_paths_release(&r->paths);
    tm_arg_tree_release(&r->tree);
    tm_buf_release(&r->args);
    tm_out_release(&r->before);
    tm_out_release(&r->after);
    tm_out_release(&r->number);
    tm_out_release(&r->out);
}
