#include "emit/chrome_json/events.h"

#include "base/hash.h"

/* Returns the name of counter E: that of its track if it is on one, else its own; or that of a counter without one. */
static struct tm_text counter_name(const struct tm_json_events *events, const struct tm_event *e)
{
    const bool is_on_track = tm_event_scope(e->flags) == TM_SCOPE_TRACK;
    const struct tm_text name = is_on_track ? tm_json_threads_track(events->threads, e)
                                            : tm_json_writer_string(events->writer, e->name, e);
    return name.data ? name : tm_text_str("counter");
}

/* Sets *NUMBER to the number of E's track, from 1 on, among those with the process, name and id of DRAFT. TM_OK;
 * TM_E_INPUT: there are more than TM_JSON_COUNTERS_MAX tracks; TM_E_SYSTEM. */
static enum tm_status number_track(struct tm_json_events *events, const struct tm_event *e,
                                   const struct tm_json_event_draft *draft, uint32_t *number, struct tm_error *err)
{
    const uint64_t id = draft->form.id == TM_JSON_ID_NONE ? 0 : tm_hash_u64(draft->id + 1);
    const uint64_t shared = tm_hash64_seed(draft->name.data, draft->name.len, tm_hash_u64((uint64_t)draft->pid ^ id));
    const uint64_t own = tm_hash_u64(tm_hash_u64(shared ^ e->track) ^ ((uint64_t)e->file << 32 | e->machine));
    uint32_t count = 0;
    if (tm_map_find(&events->counters, own, number))
        return TM_OK;
    if (events->counters.count >= 2 * TM_JSON_COUNTERS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d tracks of counters (TM_JSON_COUNTERS_MAX)",
                            TM_JSON_COUNTERS_MAX);
    (void)tm_map_find(&events->counters, shared, &count);
    *number = count + 1;
    return tm_map_set(&events->counters, shared, *number) < 0 || tm_map_set(&events->counters, own, *number) < 0
               ? tm_error_nomem(err)
               : TM_OK;
}

/* Sets the process of DRAFT, a counter, and its id if it is of a thread or a cpu, or of a track with the name of
 * another, because a name counts for a whole process. A task in the row of another counter of the kernel is what ran at
 * that time. */
static enum tm_status place_counter(struct tm_json_events *events, const struct tm_event *e,
                                    struct tm_json_event_draft *draft, struct tm_error *err)
{
    const struct tm_event_task *task = tm_json_threads_task(events->threads);
    const enum tm_scope scope = tm_event_scope(e->flags);
    const bool is_of_cpu = scope == TM_SCOPE_CPU, has_task = e->flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID);
    const bool is_of_thread = task->has_tid && (scope == TM_SCOPE_THREAD || scope == TM_SCOPE_TRACK);
    draft->form.id = is_of_cpu || is_of_thread ? TM_JSON_ID_TEXT : TM_JSON_ID_NONE;
    draft->id = is_of_cpu ? e->cpu : (uint64_t)task->tid;
    uint32_t number = 1;
    enum tm_status st = is_of_cpu || (scope == TM_SCOPE_GLOBAL && has_task)
                            ? tm_json_kernel_threads_process(&events->slices.kernel, e, &draft->pid, err)
                            : tm_json_threads_place(events->threads, e, draft, err);
    if (st == TM_OK && !is_of_cpu && e->flags & TM_EVENT_HAS_TRACK)
        st = number_track(events, e, draft, &number, err);
    if (number > 1) { /* no tid has more than 32 bits */
        draft->id = is_of_thread ? (uint64_t)number << 32 | (uint32_t)task->tid : number;
        draft->form.id = TM_JSON_ID_TEXT;
    }
    return st;
}

static enum tm_status put_counter(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_event_draft draft = {.form = {.phase = 'C'},
                                        .ts_ns = e->time_ns - events->writer->base_ns,
                                        .value = e->value,
                                        .name = counter_name(events, e)};
    draft.form.value = e->flags & TM_EVENT_VALUE_DOUBLE ? TM_JSON_VALUE_DOUBLE : TM_JSON_VALUE_INT;
    enum tm_status st = place_counter(events, e, &draft, err);
    return st < 0 ? st : tm_json_writer_put(events->writer, &draft, err);
}

static enum tm_status put_flow(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    static const char phases[] = {'s', 't', 'f'};
    struct tm_json_event_draft draft;
    const struct tm_event_task place = *tm_json_threads_task(events->threads);
    /* In a file of Chrome JSON, it is a flow of span_flows.h, and its slice was written as an object. */
    bool is_own = events->writer->context->catalog->files[e->file].input_type != TM_INPUT_JSON;
    enum tm_json_id_kind kind = events->writer->context->options->join_flows ? TM_JSON_ID_OF_FLOW : TM_JSON_ID_OF_TRACK;
    /* Readers take events with different names for events of different flows. Those of Fuchsia may differ. */
    bool is_unnamed = events->writer->context->catalog->files[e->file].input_type == TM_INPUT_FUCHSIA;
    tm_json_writer_draft(events->writer, e, phases[e->kind - TM_KIND_FLOW_START], &draft);
    if (draft.category.data == NULL || is_unnamed)
        draft.category = tm_text_str("flow");
    if (draft.name.data == NULL || is_unnamed)
        draft.name = tm_text_str("flow");
    draft.form.id = TM_JSON_ID_GLOBAL;
    draft.id = e->track;
    draft.form.binds_enclosing = e->kind == TM_KIND_FLOW_END && e->value == 0;
    enum tm_status st = place.has_tid && is_own ? tm_json_slices_point(&events->slices, e, place, &draft, err)
                                                : tm_json_threads_place(events->threads, e, &draft, err);
    if (st < 0 || (st = tm_json_writer_renumber(events->writer, e->file, kind, &draft.id, err)) < 0 ||
        (st = tm_json_writer_bind(events->writer, e->file, &draft, err)) < 0)
        return st;
    return tm_json_writer_put(events->writer, &draft, err);
}

/* Writes a sample with its stack. */
static enum tm_status put_sample(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err)
{
    struct tm_json_event_draft draft;
    if (tm_event_raw(e->flags) == TM_RAW_PACKET && !(e->flags & TM_EVENT_HAS_TID)) { /* readers need a thread */
        tm_json_writer_unsupported(events->writer, e);
        return TM_OK;
    }
    tm_json_writer_draft(events->writer, e, 'P', &draft);
    draft.category = (struct tm_text){0};
    draft.form.has_stack = true;
    if (draft.name.data == NULL)
        draft.name = tm_text_str("sample");
    enum tm_status st = tm_json_threads_place(events->threads, e, &draft, err);
    return st < 0 ? st : tm_json_writer_put(events->writer, &draft, err);
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
    case TM_KIND_SCHED_SWITCH: return tm_json_cpus_switch(&events->cpus, e, err);
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
    tm_map_release(&events->counters);
}
