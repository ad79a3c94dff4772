/* Output json: one Chrome JSON trace on one timeline. doc/json.md describes the design. */
#include "emit/chrome_json/internal.h"
#include "emit/outputs.h"

#include "base/decimal.h"

#include <stdlib.h>

static enum tm_status json_open(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct tm_json_out *j = calloc(1, sizeof *j);
    if (j == NULL)
        return tm_error_nomem(err);
    j->context = context;
    tm_out_init(&j->out, context->fd, context->options->out_path);
    tm_out_guard_json(&j->out);
    tm_task_names_init(&j->task_names, context->catalog);
    tm_task_names_init(&j->said, context->catalog);
    *state = j;
    return TM_OK;
}

/* Called at the first batch: all files and machines are known. */
static void start(struct tm_json_out *j)
{
    const struct tm_catalog *c = j->context->catalog;
    uint32_t traces = 0;
    for (uint32_t i = 0; i < c->file_count; i++) {
        const struct tm_catalog_file *f = &c->files[i];
        j->json_files += f->begun && f->input_type == TM_INPUT_JSON;
        traces += f->begun && f->clock_policy != TRACEMERGE__CLOCK_POLICY__NO_CLOCK;
    }
    j->meets = traces > 1;
    j->renames_ids = traces > 1;
    j->names_sources = traces > 1 || c->machine_count > 1;
    tm_out_str(&j->out, "{\"traceEvents\":[");
    j->has_started = true;
}

/* Writes the names that E has given its process and thread. */
static enum tm_status say_names(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    struct tm_event_task place;
    int64_t pid = 0;
    tm_task_names_find(&j->task_names, e, &place);
    if (!place.has_pid)
        return TM_OK;
    enum tm_status st = tm_json_out_pid_of(j, e, place.pid, &pid, err);
    if (st == TM_OK)
        st = tm_json_out_source(j, e, pid, err);
    if (st == TM_OK)
        st = tm_json_out_name(j, pid, NULL, place.process, err);
    return st == TM_OK && place.has_tid ? tm_json_out_name(j, pid, &place.tid, place.thread, err) : st;
}

/* With --rebase the first event is at 0; events are in order of time. */
static void note_base(struct tm_json_out *j, const struct tm_event *e)
{
    if (j->has_base || !j->context->options->rebase || !tm_event_is_timed(e->flags) || e->flags & TM_EVENT_DEFINITION)
        return;
    j->base_ns = e->time_ns;
    j->has_base = true;
}

/* Writes a metadata object that is due. */
static enum tm_status put_late(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_json_out_raw(j, e, err);
    return st < 0 ? st : tm_json_out_text_name(j, e, err);
}

/* Called before E, an event: writes slices that ended earlier and metadata that is due. A reused pid is another
 * process. */
static enum tm_status advance(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    enum { CLONE_THREAD_FLAG = 0x10000 };
    const struct tm_event *late;
    enum tm_status st = TM_OK;
    note_base(j, e);
    if (j->whole_count && j->wholes_ns < e->time_ns)
        st = tm_json_out_wholes(j, err);
    while (st == TM_OK && j->late.count && (late = tm_pending_definitions_due(&j->late, e->time_ns)) != NULL)
        st = put_late(j, late, err);
    bool is_life = e->kind == TM_KIND_PROCESS_EXIT || (e->kind == TM_KIND_TASK_NEW && !(e->value & CLONE_THREAD_FLAG));
    if (st == TM_OK && is_life && e->tid) {
        j->changes++;
        if (tm_track_owners_end(&j->lifetimes, e->machine, false, e->tid) != TM_OK)
            st = tm_error_nomem(err);
    }
    return st;
}

/* Reads the text of E from its file, given by REF, so that E is as if the stream had it. */
static enum tm_status write_referred(struct tm_json_out *j, const struct tm_event *e, const struct tm_json_ref *ref,
                                     struct tm_error *err)
{
    struct tm_event whole = *e;
    enum tm_status st = tm_sources_text(j->context->sources, e->file, ref, &whole.raw, err);
    if (st == TM_OK && (ref->bytes == 0 || whole.raw[0] != '{'))
        st = tm_error_set(err, TM_E_INPUT, "event %llu: its text is no JSON object", (unsigned long long)e->position);
    whole.raw_bytes = ref->bytes;
    return st == TM_OK ? tm_json_out_object(j, &whole, ref, err) : st;
}

static enum tm_status write_event(struct tm_json_out *j, const struct tm_event *e, struct tm_error *err)
{
    bool is_json = tm_event_raw(e->flags) == TM_RAW_JSON && e->raw_bytes > 0;
    struct tm_json_ref ref;
    enum tm_status st;
    if (e->file >= j->context->catalog->file_count)
        return tm_error_set(err, TM_E_INPUT, "an event is of file %u, which the stream does not describe", e->file);
    if ((e->kind == TM_KIND_THREAD || e->kind == TM_KIND_PROCESS) && (st = tm_json_out_learn(j, e, err)) < 0)
        return st;
    if (is_json && e->raw[0] == '{' && e->flags & TM_EVENT_DEFINITION && tm_event_is_timed(e->flags))
        return tm_pending_definitions_add(&j->late, e, (struct tm_pending_needs){0}) == TM_OK ? TM_OK
                                                                                           : tm_error_nomem(err);
    if (!(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED)) && (st = advance(j, e, err)) < 0)
        return st;
    if (is_json && e->raw[0] == '{')
        return (st = tm_json_out_raw(j, e, err)) < 0 ? st : tm_json_out_text_name(j, e, err);
    if (tm_event_raw(e->flags) == TM_RAW_JSON && !is_json &&
        tm_json_ref_find(e->detail, e->detail_bytes, &ref) == TM_OK && ref.is_elsewhere)
        return write_referred(j, e, &ref, err);
    if (is_json)
        return tm_json_out_keep_top(j, e, err);
    enum tm_input_type type = j->context->catalog->files[e->file].input_type;
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END; /* without an object: span_flows.h */
    bool of_json = type == TM_INPUT_JSON && tm_event_raw(e->flags) == TM_RAW_NONE && !is_flow;
    if (of_json)
        return tm_json_out_text_name(j, e, err); /* of all other events the primary row has the object */
    if ((st = tm_task_names_learn(&j->task_names, e, err)) == TM_OK &&
        e->kind != TM_KIND_TRACK) /* by then events state their process */
        st = say_names(j, e, err);
    return st < 0 ? st : tm_json_out_row(j, e, err);
}

static enum tm_status json_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct tm_json_out *j = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (frame->type != TM_FRAME_BATCH)
        return TM_OK;
    if (!j->has_started)
        start(j);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = write_event(j, &e, err);
    return st;
}

static enum tm_status json_finish(void *state, struct tm_error *err)
{
    struct tm_json_out *j = state;
    const struct tm_event *late;
    enum tm_status st = TM_OK;
    if (!j->has_started)
        start(j);
    while (st == TM_OK && (late = tm_pending_definitions_due(&j->late, INT64_MAX)) != NULL)
        st = put_late(j, late, err);
    if (st == TM_OK)
        st = tm_json_out_open_rest(j, err);
    if (st == TM_OK)
        st = tm_json_out_late_names(j, err);
    if (st == TM_OK)
        st = tm_json_out_groups(j, err);
    tm_out_str(&j->out, "\n]");
    if (st < 0 || (st = tm_json_out_write_top(j, err)) < 0)
        return st;
    tm_out_str(&j->out, "}\n");
    return tm_out_flush(&j->out, err);
}

static void json_close(void *state)
{
    struct tm_json_out *j = state;
    if (j == NULL)
        return;
    for (uint32_t i = 0; i < j->running_count; i++)
        tm_buf_release(&j->running[i].comm);
    free(j->running);
    for (uint32_t i = 0; i < j->open_count; i++)
        tm_buf_release(&j->open[i]);
    free(j->open);
    tm_map_release(&j->kernel_tids);
    tm_map_release(&j->open_tracks);
    free(j->moved);
    tm_map_release(&j->pids);
    tm_map_release(&j->pid_owners);
    tm_map_release(&j->labelled);
    free(j->groups);
    tm_map_release(&j->sorted);
    tm_map_release(&j->named);
    tm_json_spans_release(&j->spans);
    tm_json_out_where_release(j);
    free(j->wholes);
    tm_buf_release(&j->wholes_text);
    tm_table_release(&j->open_markers);
    tm_track_owners_release(&j->lifetimes);
    tm_pending_definitions_release(&j->late);
    tm_buf_release(&j->top);
    tm_map_release(&j->frames.table_of);
    tm_json_id_numbers_release(&j->ids);
    tm_map_release(&j->with_objects);
    tm_buf_release(&j->scratch);
    tm_task_names_release(&j->task_names);
    tm_out_release(&j->out);
    free(j);
}

static const char *const suffixes[] = {".json", NULL};

const struct tm_emit tm_emit_json = {
    .name = "json",
    .suffixes = suffixes,
    .needs_sorted = true,
    .needs_placed = true,
    .raw = "json",
    .needs_detail = true,
    .reads_json_raw = true,
    .open = json_open,
    .frame = json_frame,
    .finish = json_finish,
    .close = json_close,
};
