/* jsonl: one line for each slice, a JSON object with its known members and its args as an object. */
#include "emit/outputs.h"
#include "emit/text/json_members.h"
#include "emit/text/slice_rows.h"

#include <stdlib.h>

struct jsonl {
    struct tm_slice_rows rows;
    const struct tm_arg_names *names; /* args that are members; empty: the member args has all of them */
};

static void put_i64(struct tm_out *out, const char *key, bool has, int64_t v)
{
    if (has)
        tm_member_put_i64(out, key, v);
}

static void put_before(void *self, struct tm_out *out, const struct tm_row *row)
{
    (void)self;
    tm_out_str(out, "{\"kind\":");
    if (row->kind)
        tm_out_json_str(out, row->kind);
    else
        tm_out_u64(out, row->event->kind);
    put_i64(out, "ts", true, row->event->time_ns);
}

static void put_duration(struct tm_out *out, enum tm_unfinished_end end, int64_t dur)
{
    if (end == TM_ROW_ENDED || end == TM_ROW_INSTANT)
        put_i64(out, "dur", true, dur);
    else if (end != TM_ROW_NO_DURATION)
        tm_out_str(out, ",\"dur\":null");
}

static void put_after(void *self, struct tm_out *out, const struct tm_row *row)
{
    const struct tm_event *e = row->event;
    const struct tm_event_task *place = &row->place;
    (void)self;
    tm_member_put_text(out, "name", row->name);
    tm_member_put_text(out, "category", row->category);
    put_i64(out, "depth", row->has_depth, row->depth);
    if (e->kind != TM_KIND_SCHED_SWITCH && e->kind != TM_KIND_SCHED_WAKING)
        tm_member_put_value(out, e);
    tm_member_put_text(out, "machine", row->machine);
    put_i64(out, "machine_id", true, row->machine_id);
    tm_member_put_text(out, "process", place->process);
    put_i64(out, "pid", place->has_pid, place->pid);
    tm_member_put_text(out, "thread", place->thread);
    put_i64(out, "tid", place->has_tid, place->tid);
    put_i64(out, "other_tid", row->has_other, row->other_tid);
    put_i64(out, "cpu", e->flags & TM_EVENT_HAS_CPU, e->cpu);
    tm_member_put_text(out, "track", row->track);
    tm_member_put_text(out, "file", row->file);
}

static void put_args(void *self, struct tm_out *out, const struct tm_arg_tree *args)
{
    const struct jsonl *j = self;
    for (uint32_t i = 0; i < j->names->count; i++) {
        const struct tm_text name = tm_text_str(j->names->names[i]);
        uint32_t node = tm_arg_tree_find(args, name);
        if (node == 0)
            continue;
        if (tm_row_has_column(name)) { /* a name without dots or brackets */
            tm_out_str(out, ",\"arg_");
            tm_out_bytes(out, name.data, name.len);
            tm_out_str(out, "\":");
        } else {
            tm_out_char(out, ',');
            tm_out_json(out, name);
            tm_out_char(out, ':');
        }
        tm_arg_tree_json(args, node, out);
    }
    if (j->names->count == 0 && args->count) {
        tm_member_put_key(out, "args");
        tm_arg_tree_json(args, 0, out);
    }
    tm_out_str(out, "}\n");
}

static enum tm_status open_jsonl(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    static const struct tm_row_form form = {put_before, put_after, put_duration, put_args};
    struct jsonl *j = calloc(1, sizeof *j);
    if (j == NULL)
        return tm_error_nomem(err);
    *state = j;
    j->names = &context->options->args;
    tm_slice_rows_init(&j->rows, context, &form, j);
    return TM_OK;
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct jsonl *j = state;
    return tm_slice_rows_batch(&j->rows, frame, batch, err);
}

static enum tm_status finish_jsonl(void *state, struct tm_error *err)
{
    struct jsonl *j = state;
    return tm_slice_rows_finish(&j->rows, err);
}

static void close_jsonl(void *state)
{
    struct jsonl *j = state;
    if (j)
        tm_slice_rows_release(&j->rows);
    free(j);
}

const struct tm_emit_functions tm_emit_jsonl_functions = {
    .open = open_jsonl,
    .frame = show_frame,
    .finish = finish_jsonl,
    .close = close_jsonl,
};
