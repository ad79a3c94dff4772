/* Output json: one Chrome JSON trace on one timeline. doc/json.md describes the design. */
#include "emit/chrome_json/objects.h"
#include "emit/chrome_json/events.h"
#include "emit/chrome_json/top.h"
#include "emit/outputs.h"
#include "stream/pending_events.h"

#include <stdlib.h>

/* The parts of an output. Most of them borrow others. */
struct json_output {
    const struct tm_emit_context *context;
    struct tm_arg_expander args;
    bool has_started;
    struct tm_json_inputs inputs;
    struct tm_json_writer writer;
    struct tm_json_pids pids;
    struct tm_json_metadata metadata;
    struct tm_json_threads threads;
    struct tm_json_top_members members;
    struct tm_json_frames frames;
    struct tm_json_objects objects;     /* events of Chrome JSON */
    struct tm_json_events events;           /* other events */
    struct tm_pending_events pending;       /* metadata objects with a time */
};

/* Sets the borrowed members of all parts of J. TM_OK or TM_E_SYSTEM. */
static enum tm_status connect(struct json_output *j, struct tm_error *err)
{
    struct tm_change_counts *counts = &j->threads.names.counts;
    j->pids = (struct tm_json_pids){.counts = counts};
    j->metadata = (struct tm_json_metadata){
        .inputs = &j->inputs, .writer = &j->writer, .pids = &j->pids, .counts = counts};
    j->frames = (struct tm_json_frames){.inputs = &j->inputs, .members = &j->members, .writer = &j->writer};
    j->objects = (struct tm_json_objects){.inputs = &j->inputs, .writer = &j->writer, .frames = &j->frames};
    j->objects.destinations.threads = &j->threads;
    j->objects.refs = (struct tm_json_refs){.inputs = &j->inputs, .writer = &j->writer, .pids = &j->pids};
    j->events = (struct tm_json_events){.writer = &j->writer, .threads = &j->threads};
    j->events.cpus = (struct tm_json_cpus){.metadata = &j->metadata, .names = &j->threads.names};
    j->events.slices = (struct tm_json_slices){.writer = &j->writer, .threads = &j->threads};
    j->events.slices.kernel.metadata = &j->metadata;
    j->events.slices.begins.lanes = &j->threads.lanes;
    j->events.slices.ended.writer = &j->writer;
    return tm_json_threads_init(&j->threads, &j->metadata, err);
}

static enum tm_status json_open(const struct tm_emit_context *context, void **state, struct tm_error *err)
{
    struct json_output *j = calloc(1, sizeof *j);
    if (j == NULL)
        return tm_error_nomem(err);
    j->context = context;
    j->args = tm_catalog_expander(context->catalog);
    j->pending.bytes_max = TM_PENDING_BYTES_MAX;
    tm_json_writer_init(&j->writer, context);
    *state = j;
    return connect(j, err);
}

/* Called at the first batch: all files and machines are known. */
static void start(struct json_output *j)
{
    j->inputs = tm_json_inputs_of(j->context->catalog);
    tm_out_str(&j->writer.out, "{\"traceEvents\":[");
    j->has_started = true;
}

/* Writes E, an object, and the name that E gives a process or thread whose number is a string. */
static enum tm_status put_object(struct json_output *j, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_json_objects_write(&j->objects, e, err);
    return st < 0 ? st : tm_json_metadata_name_text(&j->metadata, e, err);
}

/* Called before an event E. Writes slices that ended earlier and metadata that is due, and notes whether the pid or
 * tid of E means another task from now on. */
static enum tm_status advance(struct json_output *j, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_pending_event *due;
    tm_json_writer_note_base(&j->writer, e);
    enum tm_status st = tm_json_ended_slices_write_before(&j->events.slices.ended, e->time_ns, err);
    while (st == TM_OK && j->pending.count && (due = tm_pending_events_due(&j->pending, e->time_ns)) != NULL)
        st = put_object(j, &due->event, err);
    if (st >= 0)
        st = tm_json_slices_note(&j->events.slices, e, err);
    return st < 0 ? st : tm_json_pids_note(&j->pids, e, err);
}

static enum tm_status add_member(struct json_output *j, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_json_top_members_add(&j->members, e, err);
    if (st == TM_END)
        tm_json_writer_unsupported(&j->writer, e);
    return st < 0 ? st : TM_OK;
}

/* Writes E as its kind and its recorded text require: as an object, a member of the top level, or from its columns. */
static enum tm_status write_event(struct json_output *j, const struct tm_event *e, struct tm_error *err)
{
    bool is_json = tm_event_raw(e->flags) == TM_RAW_JSON && e->raw_bytes > 0;
    struct tm_json_ref ref;
    enum tm_status st;
    if ((e->kind == TM_KIND_THREAD || e->kind == TM_KIND_PROCESS) &&
        (st = tm_json_threads_note(&j->threads, e, err)) < 0)
        return st;
    if (is_json && e->raw[0] == '{' && e->flags & TM_EVENT_DEFINITION && tm_event_is_timed(e->flags))
        return tm_pending_events_add(&j->pending, e, NULL, err);
    if (!(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED)) && (st = advance(j, e, err)) < 0)
        return st;
    if (is_json && e->raw[0] == '{')
        return put_object(j, e, err);
    if (tm_event_raw(e->flags) == TM_RAW_JSON && !is_json &&
        tm_json_ref_find(e->detail, e->detail_bytes, &ref) == TM_OK && ref.is_elsewhere)
        return tm_json_objects_write_ref(&j->objects, e, &ref, err);
    if (is_json)
        return add_member(j, e, err);
    enum tm_input_type type = j->context->catalog->files[e->file].input_type;
    bool is_flow = e->kind >= TM_KIND_FLOW_START && e->kind <= TM_KIND_FLOW_END; /* span_flows.h makes such rows */
    /* Derived rows of lines in systemTraceEvents have a cpu, those of objects none. */
    bool of_json = type == TM_INPUT_JSON && tm_event_raw(e->flags) == TM_RAW_NONE && !is_flow &&
                   !(e->flags & TM_EVENT_HAS_CPU);
    if (of_json && e->kind == TM_KIND_SLICE_END && e->flags & TM_EVENT_HAS_PID && !(e->flags & TM_EVENT_ASYNC))
        /* an object without length is complete */
        return e->flags & TM_EVENT_NO_LENGTH ? TM_OK : tm_json_objects_write_end(&j->objects, e, err);
    if (of_json) /* the primary row of the event has the object */
        return tm_json_metadata_name_text(&j->metadata, e, err);
    st = tm_json_threads_learn(&j->threads, e, err);
    return st < 0 ? st : tm_json_events_write(&j->events, e, err);
}

static enum tm_status json_frame(void *state, const struct tm_frame *frame, const struct tm_batch *batch,
                                 struct tm_error *err)
{
    struct json_output *j = state;
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (frame->type != TM_FRAME_BATCH)
        return TM_OK;
    if (!j->has_started)
        start(j);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        if ((st = tm_arg_expand(&j->args, &e, err)) == TM_OK)
            st = write_event(j, &e, err);
    return st;
}

static enum tm_status json_finish(void *state, struct tm_error *err)
{
    struct json_output *j = state;
    const struct tm_pending_event *due;
    enum tm_status st = TM_OK;
    if (!j->has_started)
        start(j);
    while (st == TM_OK && (due = tm_pending_events_due(&j->pending, INT64_MAX)) != NULL)
        st = put_object(j, &due->event, err);
    if (st == TM_OK)
        st = tm_json_slices_finish(&j->events.slices, err);
    if (st == TM_OK)
        st = tm_json_threads_name_rest(&j->threads, err);
    if (st == TM_OK)
        st = tm_json_metadata_sort(&j->metadata, err);
    tm_out_str(&j->writer.out, "\n]");
    if (st < 0 || (st = tm_json_top_write(&j->frames, err)) < 0)
        return st;
    tm_out_str(&j->writer.out, "}\n");
    return tm_out_flush(&j->writer.out, err);
}

static void json_close(void *state)
{
    struct json_output *j = state;
    if (j == NULL)
        return;
    tm_json_events_release(&j->events);
    tm_json_objects_release(&j->objects);
    tm_json_frames_release(&j->frames);
    tm_json_top_members_release(&j->members);
    tm_json_threads_release(&j->threads);
    tm_json_metadata_release(&j->metadata);
    tm_json_pids_release(&j->pids);
    tm_json_writer_release(&j->writer);
    tm_pending_events_release(&j->pending);
    tm_arg_expander_release(&j->args);
    free(j);
}

const struct tm_emit_functions tm_emit_json_functions = {
    .open = json_open,
    .frame = json_frame,
    .finish = json_finish,
    .close = json_close,
};
