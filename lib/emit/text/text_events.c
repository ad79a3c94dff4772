/* text --events: one line for each event in aligned columns. Definitions are not shown; their names appear in the
 * events. */
#include "emit/out.h"
#include "emit/outputs.h"
#include "emit/text/text_columns.h"
#include "stream/kind_name.h"

#include <stdlib.h>

struct text {
    struct tm_out out;
    struct tm_task_names names;
    struct tm_text_columns columns;
    const struct tm_emit_context *context;
};

static enum tm_status open_text(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct text *t = calloc(1, sizeof *t);
    if (t == NULL)
        return tm_error_nomem(err);
    *state = t;
    tm_out_init(&t->out, context->fd, context->options->out_path);
    t->context = context;
    tm_task_names_init(&t->names, context->catalog);
    tm_text_columns_init(&t->columns, context, &t->names);
    return TM_OK;
}

static void put_kind(struct tm_out *out, const struct tm_event *e)
{
    static const char *const short_names[] = {
        [TM_KIND_SLICE_BEGIN] = "begin", [TM_KIND_SLICE_END] = "end",       [TM_KIND_SLICE_COMPLETE] = "slice",
        [TM_KIND_SCHED_SWITCH] = "switch", [TM_KIND_SCHED_WAKING] = "waking", [TM_KIND_SLICE_ARGS] = "args",
    };
    const char *name = tm_name_of_kind(e->kind);
    if (e->kind < sizeof short_names / sizeof *short_names && short_names[e->kind])
        name = short_names[e->kind];
    if (e->flags & TM_EVENT_ASYNC && (e->kind == TM_KIND_SLICE_BEGIN || e->kind == TM_KIND_SLICE_END))
        tm_out_str(out, "async_");
    if (name)
        tm_out_str(out, name);
    else
        tm_out_u64(out, e->kind);
}

static enum tm_status put_event(struct text *t, const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &t->out;
    struct tm_event_task place;
    tm_task_names_find(&t->names, e, &place);
    tm_text_columns_put(&t->columns, out, e, &place);
    size_t from = out->buf.len;
    put_kind(out, e);
    tm_out_pad(out, from, TM_TEXT_KIND_WIDTH, false);
    tm_out_char(out, ' ');
    from = out->buf.len;
    if (e->kind == TM_KIND_SLICE_COMPLETE) {
        if (e->flags & TM_EVENT_OPEN_ENDED)
            tm_out_str(out, "open");
        else
            tm_out_duration(out, e->dur_ns);
    }
    tm_out_pad(out, from, TM_TEXT_DURATION_WIDTH, true);
    tm_out_char(out, ' ');
    if (!tm_text_columns_special(&t->columns, out, e)) {
        struct tm_text name = tm_catalog_string(t->context->catalog, e->name, e);
        tm_out_escaped(out, name.len || e->kind != TM_KIND_COUNTER ? name : place.track);
        tm_text_columns_value(out, e);
    }
    tm_text_columns_end(out);
    return tm_out_end_row(out, err);
}

/* False for rows without a line: definitions, and rows that only add to the row before or name its task. */
static bool is_shown(const struct tm_event *e)
{
    if (e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_CONTEXT))
        return false;
    return !(e->flags & TM_EVENT_DERIVED) ||
           (e->kind != TM_KIND_PROCESS && e->kind != TM_KIND_THREAD && e->kind != TM_KIND_SLICE_ARGS &&
            e->kind != TM_KIND_BLOCKED_REASON && e->kind != TM_KIND_THREAD_STATE && e->kind != TM_KIND_ALLOCATION &&
            e->kind != TM_KIND_MEMORY && e->kind != TM_KIND_TASK_STATE);
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct text *t = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (batch && st == TM_OK && tm_batch_next(&walk, &e)) {
        if ((st = tm_task_names_learn(&t->names, &e, err)) < 0)
            return tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset);
        if (!is_shown(&e))
            continue;
        if (!t->columns.is_ready) {
            tm_text_columns_begin(&t->columns, &t->out, t->context->has_origin ? t->context->origin_ns : e.time_ns);
            tm_out_str(&t->out, "NAME = VALUE\n");
        }
        st = put_event(t, &e, err);
    }
    return st;
}

static enum tm_status finish_text(void *state, struct tm_error *err)
{
    struct text *t = state;
    return tm_out_flush(&t->out, err);
}

static void close_text(void *state)
{
    struct text *t = state;
    if (t) {
        tm_task_names_release(&t->names);
        tm_out_release(&t->out);
    }
    free(t);
}

const struct tm_emit_functions tm_emit_text_events_functions = {
    .open = open_text,
    .frame = show_frame,
    .finish = finish_text,
    .close = close_text,
};
