/* text: one line for each slice in aligned columns, for people. */
#include "emit/outputs.h"
#include "emit/text/slice_rows.h"
#include "emit/text/text_columns.h"

#include <stdlib.h>

enum { FILE_MIN = 4, FILE_MAX = 24, INDENT_MAX = 32, ARG_COLUMNS = 100 };

struct text {
    struct tm_slice_rows rows;
    struct tm_text_columns columns;
    const struct tm_emit_context *context;
    size_t file_width; /* 0: all events are of one file */
    struct tm_out arg;
};

/* Returns the last part of PATH. */
static struct tm_text base_of(struct tm_text path)
{
    size_t base = 0;
    for (size_t i = 0; i + 1 < path.len; i++)
        base = path.data[i] == '/' ? i + 1 : base;
    return (struct tm_text){path.data + base, path.len - base};
}

/* Sets the width of the column of files. It exists only if there are several. */
static void set_file_width(struct text *t)
{
    const struct tm_catalog *catalog = t->context->catalog;
    uint32_t count = 0;
    size_t width = FILE_MIN;
    for (uint32_t i = 0; i < catalog->file_count; i++) {
        const struct tm_catalog_file *f = &catalog->files[i];
        if (f->is_container || f->timed_count == 0)
            continue;
        const size_t own = tm_out_width(base_of(f->name));
        width = own > width ? own : width;
        count++;
    }
    t->file_width = count < 2 ? 0 : width < FILE_MAX ? width : FILE_MAX;
}

static void put_before(void *self, struct tm_out *out, const struct tm_row *row)
{
    struct text *t = self;
    struct tm_event_task place = row->place;
    const struct tm_event *e = row->event;
    if (!t->columns.is_ready) {
        tm_text_columns_begin(&t->columns, out, t->rows.first_ns);
        set_file_width(t);
        if (t->file_width)
            tm_text_columns_word(out, "FILE", t->file_width, false);
        tm_out_str(out, "NAME = VALUE [CATEGORY] ARGS\n");
    }
    place.track = row->track;
    tm_text_columns_put(&t->columns, out, e, &place);
    size_t from = out->buf.len;
    if (e->kind == TM_KIND_SCHED_WAKING)
        tm_out_str(out, "waking");
    else if (row->kind)
        tm_out_str(out, row->kind);
    else
        tm_out_u64(out, e->kind);
    tm_out_pad(out, from, TM_TEXT_KIND_WIDTH, false);
    tm_out_char(out, ' ');
}

static void put_duration(struct tm_out *out, enum tm_unfinished_end end, int64_t dur)
{
    size_t from = out->buf.len;
    if (end == TM_ROW_OPEN || end == TM_ROW_UNKNOWN_END)
        tm_out_str(out, "open");
    else if (end == TM_ROW_ENDED)
        tm_out_duration(out, dur);
    tm_out_pad(out, from, TM_TEXT_DURATION_WIDTH, true);
    tm_out_char(out, ' ');
}

/* Puts the last part of the path, cut to the width. */
static void put_file(const struct text *t, struct tm_out *out, struct tm_text path)
{
    size_t from = out->buf.len;
    tm_out_escaped(out, base_of(path));
    tm_text_columns_cut(out, from, t->file_width);
    tm_out_pad(out, from, t->file_width, false);
    tm_out_char(out, ' ');
}

static void put_after(void *self, struct tm_out *out, const struct tm_row *row)
{
    struct text *t = self;
    const struct tm_event *e = row->event;
    bool is_run = e->kind == TM_KIND_SCHED_SWITCH && row->place.has_tid && row->place.tid == e->pid && !row->has_other;
    if (t->file_width)
        put_file(t, out, row->file);
    for (uint32_t i = 0; i < row->depth && i < INDENT_MAX / 2; i++)
        tm_out_str(out, "  ");
    if (is_run) {
        tm_text_columns_task(out, row->name, e->pid);
        return;
    }
    if (tm_text_columns_special(&t->columns, out, e))
        return;
    tm_out_escaped(out, row->name);
    tm_text_columns_value(out, e);
    if (row->category.len) {
        tm_out_str(out, " [");
        tm_out_escaped(out, row->category);
        tm_out_char(out, ']');
    }
}

struct arg_place {
    struct text *text;
    struct tm_out *out;
    const struct tm_arg_tree *args;
};

static void put_arg(void *self, struct tm_text name, uint32_t node)
{
    const struct arg_place *p = self;
    struct tm_out *arg = &p->text->arg;
    struct tm_text text;
    tm_buf_clear(&arg->buf);
    if (tm_arg_tree_text(p->args, node, &text))
        tm_out_quoted(arg, text);
    else
        tm_arg_tree_json(p->args, node, arg);
    tm_out_char(p->out, ' ');
    tm_out_escaped(p->out, name);
    tm_out_char(p->out, '=');
    tm_out_escaped_cut(p->out, (struct tm_text){arg->buf.data, arg->buf.len}, ARG_COLUMNS);
    p->out->failed |= arg->failed;
}

static void put_args(void *self, struct tm_out *out, const struct tm_arg_tree *args)
{
    struct arg_place place = {self, out, args};
    tm_arg_tree_each(args, put_arg, &place);
    tm_text_columns_end(out);
}

static enum tm_status open_text(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    static const struct tm_row_form form = {put_before, put_after, put_duration, put_args};
    struct text *t = calloc(1, sizeof *t);
    if (t == NULL)
        return tm_error_nomem(err);
    *state = t;
    t->context = context;
    tm_out_init(&t->arg, -1, NULL);
    tm_slice_rows_init(&t->rows, context, &form, t);
    tm_text_columns_init(&t->columns, context, &t->rows.names);
    return TM_OK;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct text *t = state;
    return tm_slice_rows_batch(&t->rows, frame, batch, err);
}

static enum tm_status finish_text(void *state, struct tm_error *err)
{
    struct text *t = state;
    return tm_slice_rows_finish(&t->rows, err);
}

static void close_text(void *state)
{
    struct text *t = state;
    if (t) {
        tm_slice_rows_release(&t->rows);
        tm_out_release(&t->arg);
    }
    free(t);
}

const struct tm_emit_functions tm_emit_text_functions = {
    .open = open_text,
    .frame = show_frame,
    .finish = finish_text,
    .close = close_text,
};
