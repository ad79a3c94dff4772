/* jsonl --events: one line for each event, a JSON object with the columns that are set, the file, machine, process and
 * thread by name, and args, flows and descriptions decoded. Definitions are objects too. */
#include "emit/message_out.h"
#include "emit/names.h"
#include "emit/outputs.h"
#include "emit/paths.h"
#include "emit/task_names.h"
#include "emit/text/json_members.h"
#include "kernel/tracks.h"
#include "stream/clock_name.h"
#include "stream/kind_name.h"

#include <stdlib.h>

struct jsonl {
    struct tm_out out;
    struct tm_task_names names;
    struct tm_paths paths;
    const struct tm_emit_context *context;
    struct tm_arg_expander args;
    bool placed;
};

static enum tm_status open_jsonl(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct jsonl *j = calloc(1, sizeof *j);
    if (j == NULL)
        return tm_error_nomem(err);
    *state = j;
    tm_out_init(&j->out, context->fd, context->options->out_path);
    j->context = context;
    j->args = tm_catalog_expander(context->catalog);
    j->placed = context->stream->header.stage == TRACEMERGE__STAGE__PLACED;
    tm_task_names_init(&j->names, context->catalog);
    return TM_OK;
}

static void put_u64(struct tm_out *out, const char *key, uint64_t v)
{
    tm_member_put_key(out, key);
    tm_out_u64(out, v);
}

static void put_name(struct tm_out *out, const char *key, const char *name, uint32_t number)
{
    tm_member_put_key(out, key);
    if (name)
        tm_out_json_str(out, name);
    else
        tm_out_u64(out, number);
}

static void put_machine(struct jsonl *j, uint32_t machine)
{
    const struct tm_catalog_machine *m = j->placed ? tm_catalog_machine(j->context->catalog, machine) : NULL;
    if (m && m->name.data)
        tm_member_put_text(&j->out, "machine", m->name);
    tm_member_put_i64(&j->out, "machine_id", m ? m->raw_id : (int64_t)machine);
}

/* Puts the place of the event: machine, process, thread, CPU, track. */
static void put_place(struct jsonl *j, const struct tm_event *e)
{
    struct tm_out *out = &j->out;
    struct tm_event_task place;
    tm_task_names_find(&j->names, e, &place);
    put_machine(j, e->machine);
    if (place.has_pid)
        tm_member_put_i64(out, "pid", place.pid);
    if (place.has_pid)
        tm_member_put_text(out, "process", place.process);
    if (place.has_tid)
        tm_member_put_i64(out, "tid", place.tid);
    if (place.has_tid)
        tm_member_put_text(out, "thread", place.thread);
    if (e->flags & TM_EVENT_HAS_CPU)
        put_u64(out, "cpu", e->cpu);
    if (tm_event_scope(e->flags) != TM_SCOPE_GLOBAL)
        put_name(out, "scope", tm_name_of_scope(tm_event_scope(e->flags)), tm_event_scope(e->flags));
    enum tm_kernel_track kernel = tm_kernel_track_of(e);
    char name[TM_KERNEL_TRACK_NAME_MAX];
    if (kernel)
        place.track = tm_kernel_track_name(kernel, tm_kernel_track_instance(e), name);
    bool has_track = e->flags & TM_EVENT_HAS_TRACK && e->kind != TM_KIND_SCHED_SWITCH && !kernel;
    if (has_track || tm_event_scope(e->flags) == TM_SCOPE_TRACK)
        put_u64(out, "track", e->track);
    tm_member_put_text(out, "track_name", place.track);
}

/* Puts name, category and value. For scheduling events these and other columns have meanings of their own
 * (doc/events.md). */
static void put_content(struct jsonl *j, const struct tm_event *e)
{
    struct tm_out *out = &j->out;
    struct tm_text name = tm_catalog_string(j->context->catalog, e->name, e);
    struct tm_text category = tm_catalog_string(j->context->catalog, e->category, e);
    switch (e->kind) {
    case TM_KIND_SCHED_SWITCH:
        tm_member_put_text(out, "prev_comm", category);
        tm_member_put_i64(out, "prev_tid", e->tid);
        put_u64(out, "prev_state", e->value & UINT32_MAX);
        tm_member_put_i64(out, "prev_prio", tm_event_prev_priority(e));
        if (!(e->flags & TM_EVENT_HAS_PID))
            return;
        tm_member_put_text(out, "next_comm", name);
        tm_member_put_i64(out, "next_tid", e->pid);
        tm_member_put_i64(out, "next_prio", tm_event_next_priority(e));
        return;
    case TM_KIND_SCHED_WAKING:
        tm_member_put_text(out, "comm", name);
        tm_member_put_i64(out, "waker_tid", e->pid);
        if (!(e->flags & TM_EVENT_HAS_VALUE))
            return;
        tm_member_put_i64(out, "prio", tm_event_waking_priority(e));
        tm_member_put_i64(out, "target_cpu", tm_event_waking_cpu(e));
        return;
    case TM_KIND_TASK_NEW:
        tm_member_put_text(out, "comm", name);
        tm_member_put_i64(out, "parent_tid", e->pid);
        put_u64(out, "clone_flags", e->value);
        return;
    default:
        tm_member_put_text(out, "name", name);
        tm_member_put_text(out, "category", category);
        tm_member_put_value(out, e);
    }
}

static void put_arg(struct tm_out *out, const Tracemerge__Arg *a)
{
    switch (a->value_case) {
    case TRACEMERGE__ARG__VALUE_INT_VALUE: tm_out_i64(out, a->int_value); return;
    case TRACEMERGE__ARG__VALUE_UINT_VALUE: tm_out_u64(out, a->uint_value); return;
    case TRACEMERGE__ARG__VALUE_POINTER_VALUE: tm_out_u64(out, a->pointer_value); return;
    case TRACEMERGE__ARG__VALUE_DOUBLE_VALUE: {
        uint64_t bits;
        memcpy(&bits, &a->double_value, sizeof bits);
        tm_out_json_real(out, bits);
        return;
    }
    case TRACEMERGE__ARG__VALUE_STRING_VALUE: tm_out_json(out, tm_text_of(a->string_value)); return;
    case TRACEMERGE__ARG__VALUE_JSON_VALUE: tm_out_json(out, tm_text_of(a->json_value)); return;
    case TRACEMERGE__ARG__VALUE_BOOL_VALUE: tm_out_str(out, a->bool_value ? "true" : "false"); return;
    default: tm_out_str(out, "null"); return;
    }
}

static void put_args(struct tm_out *out, const Tracemerge__Detail *d)
{
    if (d->n_args)
        tm_member_put_key(out, "args");
    for (size_t i = 0; i < d->n_args; i++) {
        tm_out_char(out, i ? ',' : '{');
        tm_out_json(out, d->args[i]->has_key ? tm_text_of(d->args[i]->key) : tm_text_str(""));
        tm_out_char(out, ':');
        put_arg(out, d->args[i]);
    }
    if (d->n_args)
        tm_out_char(out, '}');
}

static enum tm_status put_detail(struct jsonl *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &j->out;
    if (e->detail_bytes == 0)
        return TM_OK;
    Tracemerge__Detail *d =
        (Tracemerge__Detail *)tm_message_unpack(&tracemerge__detail__descriptor, e->detail, e->detail_bytes, err);
    if (d == NULL)
        return err->status;
    Tracemerge__Detail described = TRACEMERGE__DETAIL__INIT, rest = *d;
    put_args(out, d);
    rest.n_args = rest.n_text = 0; /* n_args were shown above; n_text is the text that columns refer to */
    described.track = d->track;
    described.process = d->process;
    described.thread = d->thread;
    described.machine = d->machine;
    rest.track = NULL;
    rest.process = NULL;
    rest.thread = NULL;
    rest.machine = NULL;
    /* Notes for outputs that write raw bytes are in the stream only if there is such an output, so they are not
     * shown. */
    rest.json = NULL;
    if (e->kind != TM_KIND_PROCESS)
        rest.n_inner_times = 0;
    tm_message_json_members(out, &rest.base, true);
    if (d->track || d->process || d->thread || d->machine) {
        tm_member_put_key(out, "describes");
        tm_message_json(out, &described.base);
    }
    tracemerge__detail__free_unpacked(d, NULL);
    return TM_OK;
}

static enum tm_status put_event(struct jsonl *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_out *out = &j->out;
    const char *clock = tm_name_of_clock(e->clock);
    struct tm_text path;
    enum tm_status st = tm_paths_get(&j->paths, j->context->catalog, e->file, &path);
    if (st < 0)
        return tm_error_nomem(err);
    tm_out_str(out, "{\"kind\":");
    if (tm_name_of_kind(e->kind))
        tm_out_json_str(out, tm_name_of_kind(e->kind));
    else
        tm_out_u64(out, e->kind);
    if (tm_event_is_timed(e->flags))
        tm_member_put_i64(out, "ts", e->time_ns);
    if (e->kind == TM_KIND_SLICE_COMPLETE && !(e->flags & TM_EVENT_OPEN_ENDED))
        tm_member_put_i64(out, "dur", e->dur_ns);
    put_content(j, e);
    put_place(j, e);
    tm_member_put_text(out, "file", path);
    put_u64(out, "position", e->position);
    if (clock || e->clock)
        put_name(out, "clock", clock, e->clock);
    if (e->sequence)
        put_u64(out, "sequence", e->sequence);
    if (e->flags & TM_EVENT_ASYNC)
        tm_out_str(out, ",\"async\":true");
    if (e->flags & TM_EVENT_DERIVED)
        tm_out_str(out, ",\"derived\":true");
    if (e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED))
        tm_out_str(out, ",\"definition\":true");
    if ((st = put_detail(j, e, err)) < 0)
        return st;
    tm_out_str(out, "}\n");
    return tm_out_end_row(out, err);
}

static enum tm_status show_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct jsonl *j = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    while (batch && tm_batch_next(&walk, &e)) {
        enum tm_status st = tm_task_names_learn(&j->names, &e, err);
        if (st == TM_OK)
            st = tm_arg_expand(&j->args, &e, err);
        if (st == TM_OK && !(e.flags & TM_EVENT_CONTEXT))
            st = put_event(j, &e, err);
        if (st == TM_E_INPUT)
            return tm_error_prefix(err, "byte %llu", (unsigned long long)frame->offset);
        if (st < 0)
            return st;
    }
    return TM_OK;
}

static enum tm_status finish_jsonl(void *state, struct tm_error *err)
{
    struct jsonl *j = state;
    return tm_out_flush(&j->out, err);
}

static void close_jsonl(void *state)
{
    struct jsonl *j = state;
    if (j) {
        tm_task_names_release(&j->names);
        tm_paths_release(&j->paths);
        tm_arg_expander_release(&j->args);
        tm_out_release(&j->out);
    }
    free(j);
}

const struct tm_emit_functions tm_emit_jsonl_events_functions = {
    .open = open_jsonl,
    .frame = show_frame,
    .finish = finish_jsonl,
    .close = close_jsonl,
};
