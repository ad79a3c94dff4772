#include "emit/chrome_json/events.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

/* Returns the name of E's track, or of the counter without one. */
static struct tm_text track_name(const struct tm_json_events *events, const struct tm_event *e)
{
    struct tm_event_task place;
    tm_task_names_find(&events->threads->names, e, &place);
    return place.track.data ? place.track : tm_text_str("counter");
}

static enum tm_status put_counter(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    struct tm_text name = tm_json_writer_string(events->writer, e->name, e);
    enum tm_status st = tm_json_threads_begin(events->threads, e, "C", err);
    if (st < 0)
        return st;
    tm_json_writer_text(events->writer, ",\"name\":", name.data ? name : track_name(events, e));
    tm_out_str(&events->writer->out, ",\"args\":{\"value\":");
    if (e->flags & TM_EVENT_VALUE_DOUBLE)
        tm_out_json_double(&events->writer->out, e->value);
    else
        tm_out_i64(&events->writer->out, (int64_t)e->value);
    tm_out_str(&events->writer->out, "}}");
    return tm_out_end_row(&events->writer->out, err);
}

static enum tm_status put_flow(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    static const char *const phases[] = {"s", "t", "f"};
    struct tm_text category = tm_json_writer_string(events->writer, e->category, e),
                   name = tm_json_writer_string(events->writer, e->name, e);
    const char *phase = phases[e->kind - TM_KIND_FLOW_START];
    const struct tm_event_task place = *tm_json_threads_task(events->threads);
    /* In a file of Chrome JSON, it is a flow of span_flows.h, and its slice was written as an object. */
    bool is_own = events->writer->context->catalog->files[e->file].input_type != TM_INPUT_JSON;
    enum tm_status st = place.has_tid && is_own ? tm_json_slices_point(&events->slices, e, place, phase, err)
                                                : tm_json_threads_begin(events->threads, e, phase, err);
    if (st < 0)
        return st;
    tm_json_writer_text(events->writer, ",\"cat\":", category.data ? category : tm_text_str("flow"));
    tm_json_writer_text(events->writer, ",\"name\":", name.data ? name : tm_text_str("flow"));
    tm_out_str(&events->writer->out, ",\"scope\":\"track\",\"id\":");
    enum tm_json_id_kind kind = events->writer->context->options->join_flows ? TM_JSON_ID_OF_FLOW : TM_JSON_ID_OF_TRACK;
    if ((st = tm_json_writer_number(events->writer, e->file, kind, e->track, err)) < 0)
        return st;
    if (e->kind == TM_KIND_FLOW_END && e->value == 0)
        tm_out_str(&events->writer->out, ",\"bp\":\"e\"");
    return tm_json_writer_end(events->writer, e, err);
}

/* Writes a sample with its stack, outermost first, in the form that Perfetto and chrome://tracing read. */
static enum tm_status put_sample(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    struct tm_text name = tm_json_writer_string(events->writer, e->name, e);
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f, g;
    bool has_frames = false;
    enum tm_status st = tm_json_threads_begin(events->threads, e, "P", err);
    if (st < 0)
        return st;
    tm_json_writer_text(events->writer, ",\"name\":", name.data ? name : tm_text_str("sample"));
    tm_out_str(&events->writer->out, ",\"stack\":[");
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_DETAIL_FRAMES || f.type != TM_PB_LEN)
            continue;
        struct tm_pb frame = tm_pb_of(f.data, f.len);
        struct tm_text function = {0};
        while (tm_pb_next(&frame, &g) == TM_OK)
            if (g.id == TM_STACK_FRAME_FUNCTION && g.type == TM_PB_LEN)
                function = (struct tm_text){g.data, g.len};
        if (has_frames)
            tm_out_char(&events->writer->out, ',');
        has_frames = true;
        tm_out_json(&events->writer->out, function.data ? function : tm_text_str("[unknown]"));
    }
    tm_out_str(&events->writer->out, "]}");
    return tm_out_end_row(&events->writer->out, err);
}

static enum tm_status put_switch(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    struct tm_text comm = e->name ? tm_json_writer_string(events->writer, e->name, e)
                                  : tm_task_names_thread(&events->threads->names, e->machine, e->pid);
    return tm_json_cpus_switch(&events->cpus, e, comm, err);
}

enum tm_status tm_json_events_write(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    if (!tm_event_is_timed(e->flags) || e->flags & TM_EVENT_DEFINITION)
        return TM_OK;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_SLICE_COMPLETE:
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP: return tm_json_slices_write(&events->slices, e, err);
    case TM_KIND_SLICE_ARGS: return tm_json_slices_add_args(&events->slices, e, err);
    case TM_KIND_COUNTER: return put_counter(events, e, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END: return put_flow(events, e, err);
    case TM_KIND_SAMPLE: return put_sample(events, e, err);
    case TM_KIND_SCHED_SWITCH: return put_switch(events, e, err);
    case TM_KIND_PROCESS:
    case TM_KIND_THREAD:
    case TM_KIND_TASK_RENAME:
    case TM_KIND_SYNC_MARKER: return TM_OK;
    default: tm_json_writer_unsupported(events->writer, e); return TM_OK;
    }
}

void tm_json_events_release(struct tm_json_events *events)
{
    tm_json_slices_release(&events->slices);
    tm_json_cpus_release(&events->cpus);
}
