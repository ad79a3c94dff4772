/* csv: one record for each slice (RFC 4180, with a header), for data frames, databases and spreadsheets. A column has
 * one type in all records. */
#include "emit/outputs.h"
#include "emit/text/slice_rows.h"

#include <stdlib.h>
#include <unistd.h>

struct csv {
    struct tm_slice_rows rows;
    const struct tm_arg_names *names; /* args with a column each; empty: one column has all args */
    struct tm_out text;               /* scratch for args */
    bool to_terminal;
};

static void put_text(struct csv *c, struct tm_out *out, struct tm_text text)
{
    tm_out_char(out, ',');
    if (c->to_terminal)
        tm_out_escaped(out, text);
    else
        tm_out_csv(out, text);
}

static void put_i64(struct tm_out *out, bool has, int64_t v)
{
    tm_out_char(out, ',');
    if (has)
        tm_out_i64(out, v);
}

static void put_value(struct tm_out *out, const struct tm_event *e)
{
    tm_out_char(out, ',');
    if (!(e->flags & TM_EVENT_HAS_VALUE) || e->kind == TM_KIND_SCHED_SWITCH || e->kind == TM_KIND_SCHED_WAKING)
        return;
    size_t from = out->buf.len;
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_double(out, e->value);
    else
        tm_out_i64(out, (int64_t)e->value);
    tm_out_make_real(out, from);
}

static void put_before(void *self, struct tm_out *out, const struct tm_row *row)
{
    (void)self;
    tm_out_i64(out, row->event->time_ns);
    tm_out_char(out, ',');
}

static void put_duration(struct tm_out *out, enum tm_unfinished_end end, int64_t dur)
{
    if (end == TM_ROW_ENDED || end == TM_ROW_INSTANT)
        tm_out_i64(out, dur);
}

static void put_after(void *self, struct tm_out *out, const struct tm_row *row)
{
    struct csv *c = self;
    const struct tm_event *e = row->event;
    const struct tm_event_task *place = &row->place;
    tm_out_char(out, ',');
    if (row->kind)
        tm_out_str(out, row->kind);
    else
        tm_out_u64(out, e->kind);
    put_text(c, out, row->name);
    put_text(c, out, row->category);
    put_i64(out, row->has_depth, row->depth);
    put_value(out, e);
    put_text(c, out, row->machine);
    put_i64(out, true, row->machine_id);
    put_text(c, out, place->process);
    put_i64(out, place->has_pid, place->pid);
    put_text(c, out, place->thread);
    put_i64(out, place->has_tid, place->tid);
    put_i64(out, row->has_other, row->other_tid);
    put_i64(out, e->flags & TM_EVENT_HAS_CPU, e->cpu);
    put_text(c, out, row->track);
    put_text(c, out, row->file);
}

/* Puts NODE as a field: its text, or JSON. */
static void put_node(struct csv *c, struct tm_out *out, const struct tm_arg_tree *args, uint32_t node)
{
    struct tm_text text;
    if (!tm_arg_tree_text(args, node, &text)) {
        tm_buf_clear(&c->text.buf);
        tm_arg_tree_json(args, node, &c->text);
        text = (struct tm_text){c->text.buf.data, c->text.buf.len};
        out->failed |= c->text.failed;
    }
    put_text(c, out, text);
}

static void put_args(void *self, struct tm_out *out, const struct tm_arg_tree *args)
{
    struct csv *c = self;
    for (uint32_t i = 0; i < c->names->count; i++) {
        uint32_t node = tm_arg_tree_find(args, tm_text_str(c->names->names[i]));
        if (node)
            put_node(c, out, args, node);
        else
            tm_out_char(out, ',');
    }
    if (c->names->count == 0 && args->count)
        put_node(c, out, args, 0);
    else if (c->names->count == 0)
        tm_out_char(out, ',');
    tm_out_str(out, "\r\n");
}

/* Puts the names of the columns. Before that of an arg which another column has, there is "arg_". */
static void put_header(struct csv *c)
{
    struct tm_out *out = &c->rows.out;
    for (const char *const *column = tm_row_columns; *column; column++) {
        tm_out_str(out, column == tm_row_columns ? "" : ",");
        tm_out_str(out, *column);
    }
    for (uint32_t i = 0; i < c->names->count; i++) {
        tm_buf_clear(&c->text.buf);
        if (tm_row_has_column(tm_text_str(c->names->names[i])))
            tm_out_str(&c->text, "arg_");
        tm_out_str(&c->text, c->names->names[i]);
        put_text(c, out, (struct tm_text){c->text.buf.data, c->text.buf.len});
    }
    tm_out_str(out, c->names->count ? "\r\n" : ",args\r\n");
}

static enum tm_status open_csv(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    static const struct tm_row_form form = {put_before, put_after, put_duration, put_args};
    struct csv *c = calloc(1, sizeof *c);
    if (c == NULL)
        return tm_error_nomem(err);
    *state = c;
    c->names = &context->options->args;
    c->to_terminal = isatty(context->fd);
    tm_out_init(&c->text, -1, NULL);
    tm_slice_rows_init(&c->rows, context, &form, c);
    put_header(c);
    return TM_OK;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct csv *c = state;
    return tm_slice_rows_batch(&c->rows, frame, batch, err);
}

static enum tm_status finish_csv(void *state, struct tm_error *err)
{
    struct csv *c = state;
    return tm_slice_rows_finish(&c->rows, err);
}

static void close_csv(void *state)
{
    struct csv *c = state;
    if (c) {
        tm_slice_rows_release(&c->rows);
        tm_out_release(&c->text);
    }
    free(c);
}

const struct tm_emit_functions tm_emit_csv_functions = {
    .open = open_csv,
    .frame = show_frame,
    .finish = finish_csv,
    .close = close_csv,
};
