#include "model/internal.h"

#include <stdlib.h>

void tm_model_init(struct tm_model *m, const struct tm_rows *rows, const struct tm_catalog *catalog)
{
    *m = (struct tm_model){.out.rows = rows, .files.catalog = catalog, .args = tm_catalog_expander(catalog),
                           .group_rank.rank = INT64_MAX};
    tm_processes_init(&m->tasks.processes);
    tm_tracks_init(&m->layout.tracks);
    tm_translations_init(&m->translations);
    m->tasks.sched.rows = m->tasks.thread_states.rows = rows;
    m->slices.rows = m->flows.rows = m->out.arg_sets.rows = m->stacks.rows = rows;
    m->layout.descriptors.processes = &m->tasks.processes;
    m->layout.descriptors.tracks = &m->layout.tracks;
    m->layout.descriptors.lanes = &m->layout.lanes;
    m->layout.descriptors.stats = &m->out.stats;
    m->tasks.address_spaces.stats = m->tasks.gpus.stats = m->tasks.sched.stats = &m->out.stats;
    m->tasks.task_states.sched = &m->tasks.sched;
    m->tasks.task_states.states = &m->tasks.thread_states;
}

/* Does the work of file_get for a file that is not known yet. */
static enum tm_status add_file(struct tm_model_files *files, uint32_t file, struct tm_model_file **row,
                               struct tm_error *err)
{
    if (file >= files->catalog->file_count)
        return tm_error_set(err, TM_E_INPUT, "an event of file %u, which is not known", file);
    while (files->count <= file) {
        enum tm_status st = tm_array_grow(&files->all, &files->cap, files->count, sizeof *files->all, err);
        if (st < 0)
            return st;
        files->all[files->count++] = (struct tm_model_file){0};
    }
    *row = &files->all[file];
    enum tm_input_type type = files->catalog->files[file].input_type;
    **row = (struct tm_model_file){
        .known = true, .is_json = type == TM_INPUT_JSON, .is_text = type == TM_INPUT_SYSTRACE,
        .is_perf_data = type == TM_INPUT_PERF, .is_fuchsia = type == TM_INPUT_FUCHSIA,
        .is_proto = type == TM_INPUT_PROTO, .is_perf_script = type == TM_INPUT_PERF_SCRIPT};
    files->has_json = files->has_json || (*row)->is_json;
    return TM_OK;
}

/* Sets *ROW to what the model knows of FILE. TM_E_INPUT if the catalog does not have the file. */
static enum tm_status file_get(struct tm_model_files *files, uint32_t file, struct tm_model_file **row,
                               struct tm_error *err)
{
    if (file >= files->count || !files->all[file].known)
        return add_file(files, file, row, err);
    *row = &files->all[file];
    return TM_OK;
}

/* Makes rows of the machines up to MACHINE. */
static enum tm_status grow_machines(struct tm_model_tasks *tasks, uint32_t machine, struct tm_error *err)
{
    while (tasks->machine_count <= machine) {
        enum tm_status st =
            tm_array_grow(&tasks->machines, &tasks->machine_cap, tasks->machine_count, sizeof *tasks->machines, err);
        if (st < 0)
            return st;
        tasks->machines[tasks->machine_count++] = (struct tm_machine_info){0};
    }
    return TM_OK;
}

/* Notes the machines of which the placements that are new in the catalog have a proto or ftrace text. */
static enum tm_status note_placements(const struct tm_catalog *catalog, struct tm_model_tasks *tasks,
                                      struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (; st == TM_OK && tasks->placement_count < catalog->placement_count; tasks->placement_count++) {
        const Tracemerge__Placement *p = catalog->placements[tasks->placement_count];
        const enum tm_input_type type =
            p->file < catalog->file_count ? catalog->files[p->file].input_type : TM_INPUT_UNKNOWN;
        if ((type != TM_INPUT_PROTO && type != TM_INPUT_SYSTRACE) || p->machine >= catalog->machine_count)
            continue;
        if ((st = grow_machines(tasks, p->machine, err)) == TM_OK)
            tasks->machines[p->machine].is_of_system = true;
    }
    return st;
}

/* Does the work of machine_get for a machine that has no event yet. */
static enum tm_status add_machine(struct tm_model_files *files, struct tm_model_tasks *tasks, uint32_t machine,
                                  struct tm_error *err)
{
    if (machine >= files->catalog->machine_count)
        return tm_error_set(err, TM_E_INPUT, "an event of machine %u, which is not known", machine);
    int64_t utid;
    enum tm_status st = grow_machines(tasks, machine, err);
    if (st < 0 || (st = note_placements(files->catalog, tasks, err)) < 0)
        return st;
    tasks->machines[machine].seen = true;
    st = tm_processes_machine(&tasks->processes, machine, &utid, err);
    if (st < 0 || !tasks->machines[machine].is_of_system)
        return st;
    tasks->machines[machine].is_idle_known = true;
    return tm_processes_idle(&tasks->processes, machine, err);
}

/* Notes that MACHINE has an event. TM_E_INPUT if the catalog does not have the machine. */
static enum tm_status machine_get(struct tm_model_files *files, struct tm_model_tasks *tasks, uint32_t machine,
                                  struct tm_error *err)
{
    bool is_known = machine < tasks->machine_count && tasks->machines[machine].seen;
    return is_known ? TM_OK : add_machine(files, tasks, machine, err);
}

/* Notes that tid 0 is the idle task, if EV is from the kernel's scheduler or from a packet. In text that Chrome JSON
 * embeds it is a thread like others, as in the reference importer. */
static enum tm_status note_idle(struct tm_model *m, const struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_model_tasks *tasks = &m->tasks;
    struct tm_machine_info *machine = &tasks->machines[ev->place.machine];
    uint32_t kind = ev->e->kind;
    bool is_of_system = ev->is_of_kernel || tm_event_raw(ev->e->flags) == TM_RAW_PACKET ||
                        (kind >= TM_KIND_SCHED_SWITCH && kind <= TM_KIND_FTRACE);
    if (machine->is_idle_known || !is_of_system || m->files.all[ev->e->file].is_json)
        return TM_OK;
    machine->is_idle_known = true;
    return tm_processes_idle(&tasks->processes, ev->place.machine, err);
}

/* Notes the thread of an event. The event shows that it exists. */
static enum tm_status note_thread(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_error *err)
{
    const uint32_t both = TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    const struct tm_event *e = ev->e;
    if ((e->flags & TM_EVENT_DEFINITION) && tm_event_is_timed(e->flags)) /* it is applied at its time */
        return TM_OK;
    /* In scheduling rows and markers the pid is not the process of the tid. */
    if ((ev->is_json || (!ev->is_of_kernel && e->kind <= TM_KIND_SAMPLE)) && (e->flags & both) == both)
        return tm_model_thread(tasks, ev, err);
    /* Events of Windows state a thread, even if they are shown in another form or not at all. */
    if (e->kind == TM_KIND_PACKET && (e->flags & (both | TM_EVENT_HAS_CPU)) == (TM_EVENT_HAS_TID | TM_EVENT_HAS_CPU))
        return tm_model_thread(tasks, ev, err);
    /* A task that exits may be unknown. A new task is registered when the event of its creation is processed. */
    if (ev->is_of_kernel && (e->flags & TM_EVENT_HAS_TID) && e->kind != TM_KIND_SCHED_SWITCH &&
        e->kind != TM_KIND_PROCESS_EXIT) {
        int64_t utid;
        return tm_model_task_of(tasks, ev, e->kind == TM_KIND_TASK_NEW ? e->pid : e->tid, &utid, err);
    }
    return TM_OK;
}

/* True for kinds that state a thread or process only in their columns. */
static bool describes_no_task(uint32_t kind)
{
    return (kind >= TM_KIND_SLICE_BEGIN && kind <= TM_KIND_SAMPLE) || kind == TM_KIND_SLICE_ARGS ||
           kind == TM_KIND_LOG || kind == TM_KIND_BLOCKED_REASON || kind == TM_KIND_THREAD_STATE ||
           kind == TM_KIND_HEAP_DUMP || kind == TM_KIND_ALLOCATION || kind == TM_KIND_HEAP_GRAPH ||
           kind == TM_KIND_MEMORY;
}

static enum tm_status by_kind(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    if (m->out.options.tasks_only && describes_no_task(ev->e->kind))
        return TM_OK;
    switch (ev->e->kind) {
    case TM_KIND_PACKET: /* an event of a legacy phase whose thread is stated nowhere */
        return ev->e->flags & TM_EVENT_LATE_THREAD ? tm_model_count_without_track(&m->out, ev, err) : TM_OK;
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_SLICE_COMPLETE:
    case TM_KIND_INSTANT:
    case TM_KIND_ASYNC_STEP:
        return tm_model_slice(m, ev, err);
    case TM_KIND_COUNTER:
    case TM_KIND_MEMORY:
        return tm_model_counter(&m->tasks, &m->layout, &m->out, ev, err);
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return tm_model_flow(m, ev, err);
    case TM_KIND_SCHED_SWITCH:
    case TM_KIND_SCHED_WAKING:
        return tm_model_sched(&m->tasks, &m->out, ev, err);
    case TM_KIND_TASK_RENAME:
    case TM_KIND_TASK_NEW:
    case TM_KIND_PROCESS_EXIT:
    case TM_KIND_BLOCKED_REASON:
    case TM_KIND_THREAD_STATE:
    case TM_KIND_TASK_STATE:
        return tm_model_task(&m->tasks, &m->out, ev, err);
    case TM_KIND_SAMPLE:
        return tm_model_sample(m, ev, err);
    case TM_KIND_HEAP_DUMP:
        return tm_model_heap_dump(&m->heaps, &m->tasks, &m->out, ev, err);
    case TM_KIND_ALLOCATION:
        return tm_model_allocation(&m->stacks, &m->tasks, &m->out, ev, err);
    case TM_KIND_HEAP_GRAPH:
        return tm_model_heap_graph(&m->heaps, &m->tasks, &m->out, ev, err);
    case TM_KIND_SLICE_ARGS:
        return tm_model_slice_args(m, ev, err);
    case TM_KIND_FTRACE:
    case TM_KIND_BINDER:
    case TM_KIND_KERNEL:
        return TM_OK;
    case TM_KIND_LOG:
        return tm_model_log(m, ev, err);
    default:
        return tm_model_define(m, ev, err);
    }
}

/* Finds what is shown of EV, which is at its time. TM_END: nothing. EV may refer to CHANGED afterwards. */
static enum tm_status take_part(struct tm_model *m, struct tm_model_event *ev, struct tm_event *changed,
                                struct tm_error *err)
{
    enum tm_recording_part part;
    if (m->out.options.tasks_only || tm_recording_starts_are_past(&m->starts, ev->e->time_ns))
        return TM_OK;
    *changed = *ev->e;
    enum tm_status st = tm_recording_starts_take(&m->starts, changed, &part, err);
    if (st < 0)
        return st;
    ev->e = changed;
    ev->is_record = part == TM_RECORDING_RECORD;
    if (part == TM_RECORDING_HIDDEN && !(changed->flags & TM_EVENT_DERIVED))
        st = tm_model_count(&m->out, ev->place, TM_MODEL_BEFORE_START, err);
    /* The reference importer records switches when it shows them. */
    const bool is_switch = tm_event_raw(changed->flags) == TM_RAW_FTRACE_EVENT && changed->kind == TM_KIND_SCHED_SWITCH;
    return st == TM_OK && (part == TM_RECORDING_HIDDEN || (ev->is_record && is_switch)) ? TM_END : st;
}

/* Adds the row of EV, at its time, in the table of kernel events. The reference importer has all of those of protos
 * there, and the switches of ftrace text. */
static enum tm_status add_record(struct tm_model *m, struct tm_model_event *ev, const struct tm_model_file *file,
                                 struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    const enum tm_raw raw = tm_event_raw(e->flags);
    const bool is_row = raw == TM_RAW_FTRACE_EVENT || raw == TM_RAW_COMPACT_SCHED ||
                        (raw == TM_RAW_LINE && e->kind == TM_KIND_SCHED_SWITCH && !file->is_perf_data);
    if (!is_row || tm_model_lacks_task(e) || m->out.options.tasks_only)
        return TM_OK;
    return tm_model_ftrace_event(&m->tasks, &m->out, ev, err);
}

static enum tm_status apply(struct tm_model *m, const struct tm_event *e, struct tm_error *err)
{
    struct tm_model_file *file;
    struct tm_event changed;
    struct tm_model_event ev = tm_model_event_of(e);
    bool is_timed = !(e->flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
    enum tm_status st = file_get(&m->files, e->file, &file, err);
    if (st < 0 || (st = machine_get(&m->files, &m->tasks, e->machine, err)) < 0)
        return st;
    if (is_timed && e->time_ns < m->now_ns)
        return tm_error_set(err, TM_E_INPUT, "an event at %lld ns after one at %lld ns", (long long)e->time_ns,
                            (long long)m->now_ns);
    if (is_timed) {
        m->now_ns = e->time_ns;
        if (!tm_pending_events_none_due(&m->pending, m->now_ns) && (st = tm_model_pending(m, m->now_ns, err)) < 0)
            return st;
    }
    bool is_derived = e->flags & TM_EVENT_DERIVED;
    m->out.packet.is_lost = m->out.packet.is_lost && is_derived;
    m->out.packet.is_unmatched = m->out.packet.is_unmatched && is_derived;
    m->out.packet.is_sample = m->out.packet.is_sample && is_derived;
    if (!is_derived)
        m->out.packet.slice_id = TM_NO_ID;
    if ((m->out.packet.is_lost && (e->kind == TM_KIND_COUNTER || e->kind == TM_KIND_LOG)) ||
        (m->out.packet.is_unmatched && e->kind == TM_KIND_LOG))
        return TM_OK;
    ev.is_json = tm_model_is_json(&m->files, e);
    ev.is_of_document = m->files.all[e->file].is_json && !ev.is_json;
    ev.is_perf_script = file->is_perf_script;
    ev.is_of_sample = m->out.packet.is_sample;
    ev.is_of_kernel = tm_event_is_of_kernel(e->flags);
    ev.is_of_zircon = file->is_fuchsia;
    ev.name = tm_catalog_string(m->files.catalog, e->name, e);
    ev.category = tm_catalog_string(m->files.catalog, e->category, e);
    if (e->kind == TM_KIND_METADATA && !is_timed && (st = tm_recording_starts_note(&m->starts, e, ev.name, err)) < 0)
        return st;
    if (is_timed && (st = take_part(m, &ev, &changed, err)) != TM_OK)
        return st < 0 ? st : TM_OK;
    if ((st = note_idle(m, &ev, err)) < 0 || (st = note_thread(&m->tasks, &ev, err)) < 0 ||
        (is_timed && (st = add_record(m, &ev, file, err)) < 0))
        return st;
    if (ev.is_record && tm_event_raw(ev.e->flags) != TM_RAW_COMPACT_SCHED)
        return TM_OK;
    st = by_kind(m, &ev, err);
    return st < 0 || !ev.is_of_kernel || m->out.options.tasks_only ? st : tm_model_kill(m, &ev, err);
}

enum tm_status tm_model_take(struct tm_model *m, const struct tm_event *e, struct tm_error *err)
{
    const struct tm_rows *rows = m->out.rows;
    if (rows == NULL || rows->event == NULL)
        return apply(m, e, err);
    enum tm_status st = rows->event(rows->self, e, false, err);
    if (st == TM_OK)
        st = apply(m, e, err);
    return st < 0 ? st : rows->event(rows->self, e, true, err);
}

static enum tm_status take_group(struct tm_model *m, struct tm_error *err)
{
    struct tm_event event;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_timestamp_group_take(&m->group, &event))
        st = tm_model_take(m, &event, err);
    return st < 0 ? st : TM_OK;
}

/* Takes in a batch of a stream with Chrome JSON. Events of one time are collected, then taken in the order in which
 * they nest. */
static enum tm_status take_by_timestamp(struct tm_model *m, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    while (st >= 0 && tm_batch_next(&walk, &e)) {
        if ((st = tm_arg_expand(&m->args, &e, err)) < 0)
            break;
        bool waits = m->group.count != 0;
        bool is_timed = !(e.flags & (TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
        bool is_last = walk.i == batch->count;
        if (waits && (!is_timed || e.time_ns != m->now_ns || tm_timestamp_group_full(&m->group)))
            if ((st = take_group(m, err)) < 0)
                break;
        waits = m->group.count != 0;
        struct tm_model_file *file;
        if ((st = file_get(&m->files, e.file, &file, err)) < 0)
            break;
        if (is_timed && (waits || is_last || tm_batch_i64(batch, TM_COL_TIME_NS, walk.i) == e.time_ns)) {
            if (e.time_ns < m->now_ns)
                return tm_model_take(m, &e, err);
            m->now_ns = e.time_ns;
            if (!(e.flags & TM_EVENT_DERIVED) || tm_timestamp_is_made_end(&e))
                m->group_rank = tm_timestamp_rank(&e, file->is_json, 0);
            st = tm_timestamp_group_add(&m->group, &e, m->group_rank, err);
        } else {
            st = tm_model_take(m, &e, err);
        }
    }
    return st < 0 ? st : TM_OK;
}

static bool has_json(const struct tm_model_files *files)
{
    for (uint32_t i = 0; i < files->catalog->file_count; i++)
        if (files->catalog->files[i].input_type == TM_INPUT_JSON)
            return true;
    return false;
}

enum tm_status tm_model_batch(struct tm_model *m, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    m->files.has_json = m->files.has_json || has_json(&m->files);
    if (m->files.has_json)
        return take_by_timestamp(m, batch, err);
    while (st >= 0 && tm_batch_next(&walk, &e))
        if ((st = tm_arg_expand(&m->args, &e, err)) == TM_OK)
            st = tm_model_take(m, &e, err);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_model_finish(struct tm_model *m, struct tm_error *err)
{
    enum tm_status st = take_group(m, err);
    if (st == TM_OK)
        st = tm_model_pending(m, INT64_MAX, err);
    if (st == TM_OK)
        st = tm_model_heap_graphs_finish(&m->heaps, &m->tasks, &m->out, err);
    if (st == TM_OK)
        st = tm_model_counters_finish(&m->tasks, &m->layout, err);
    if (st == TM_OK && m->translations.has_tracks)
        st = tm_model_translate_tracks(&m->translations, &m->layout, err);
    /* A declared machine without events has an idle task, too. */
    for (uint32_t i = 0; st == TM_OK && i < m->files.catalog->machine_count; i++)
        st = machine_get(&m->files, &m->tasks, i, err);
    return st;
}

void tm_model_release(struct tm_model *m)
{
    tm_processes_release(&m->tasks.processes);
    tm_tracks_release(&m->layout.tracks);
    tm_sched_release(&m->tasks.sched);
    tm_gpus_release(&m->tasks.gpus);
    tm_thread_states_release(&m->tasks.thread_states);
    tm_task_states_release(&m->tasks.task_states);
    tm_lanes_release(&m->layout.lanes);
    tm_slices_release(&m->slices);
    tm_flows_release(&m->flows);
    tm_descriptors_release(&m->layout.descriptors);
    tm_arg_sets_release(&m->out.arg_sets);
    tm_translations_release(&m->translations);
    tm_buf_release(&m->out.translated);
    tm_stacks_release(&m->stacks);
    tm_timestamp_group_release(&m->group);
    tm_arg_expander_release(&m->args);
    tm_async_roots_release(&m->layout.async_roots);
    tm_table_release(&m->heaps.dumps);
    tm_heap_graphs_release(&m->heaps.graphs);
    tm_unnested_begins_release(&m->unnested_begins);
    tm_table_release(&m->sample_counts);
    tm_address_spaces_release(&m->tasks.address_spaces);
    tm_seen_definitions_release(&m->seen_definitions);
    tm_recording_starts_release(&m->starts);
    for (uint32_t i = 0; i < m->tasks.machine_count; i++)
        tm_buf_release(&m->tasks.machines[i].description);
    free(m->tasks.machines);
    free(m->files.all);
    tm_model_stats_release(&m->out.stats);
    tm_buf_release(&m->out.args);
    tm_buf_release(&m->out.arg_key);
    tm_pending_events_release(&m->pending);
}
