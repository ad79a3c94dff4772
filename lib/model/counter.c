#include "model/internal.h"

#include "base/checked.h"
#include "base/pb.h"
#include "perfetto/named_tracks.h"

/* Sets *UTID to a thread of the process that EV, a counter of memory, is about. It is the thread that runs, or the one
 * that last stated the memory of that address space. TM_END: none is known. */
static enum tm_status memory_owner(struct tm_model_tasks *tasks, struct tm_model_event *ev, int64_t *utid,
                                   struct tm_error *err)
{
    struct tm_address_space space;
    bool has_space = tm_address_space_of(ev->e, &space);
    if (!has_space || space.is_own) {
        enum tm_status st = tm_model_thread(tasks, ev, err);
        *utid = ev->utid;
        return st < 0 || !has_space ? st : tm_address_spaces_note(&tasks->address_spaces, &space, *utid, err);
    }
    *utid = tm_address_spaces_find(&tasks->address_spaces, &space);
    if (*utid == TM_TABLE_NONE || tm_processes_is_alive(&tasks->processes, *utid))
        return *utid == TM_TABLE_NONE ? TM_END : TM_OK;
    tm_address_spaces_remove(&tasks->address_spaces, &space);
    return TM_END;
}

/* Finds the process of a counter, or the thread if its process is not known. TM_END: neither is known. */
static enum tm_status process_of(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_track_id *id,
                                 enum tm_track_scope *scope, struct tm_error *err)
{
    const uint32_t task = ev->e->flags & (TM_EVENT_HAS_PID | TM_EVENT_HAS_TID);
    int64_t utid = ev->utid, owner = TM_NO_ID;
    enum tm_status st = TM_OK;
    *id = (struct tm_track_id){ev->place.file, ev->place.machine,
                               ev->is_of_document ? TM_TRACK_TYPE_LINE_COUNTER : TM_TRACK_TYPE_PROCESS_COUNTER, 0, 0};
    *scope = TM_TRACK_PROCESS;
    if (task == TM_EVENT_HAS_TID)
        st = memory_owner(tasks, ev, &utid, err);
    if (st != TM_OK)
        return st;
    if (utid != TM_NO_ID)
        owner = tasks->processes.threads[utid].upid;
    if (owner == TM_NO_ID && task == TM_EVENT_HAS_TID) {
        id->type = ev->is_of_document ? TM_TRACK_TYPE_LINE_COUNTER_OF_THREAD : TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD;
        *scope = TM_TRACK_THREAD;
        owner = utid;
    } else if (owner == TM_NO_ID) {
        st = tm_processes_process(&tasks->processes, ev->place.machine, ev->e->pid, &owner, err);
    }
    id->number = (uint64_t)owner;
    return st;
}

/* Finds the owner of a counter by its scope. TM_END: it should have one, which is not known. */
static enum tm_status owner_of(struct tm_model_tasks *tasks, struct tm_model_event *ev, struct tm_track_id *id,
                               enum tm_track_scope *scope, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    enum tm_status st = TM_OK;
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_THREAD:
        st = tm_model_thread(tasks, ev, err);
        *id = (struct tm_track_id){ev->place.file, ev->place.machine, TM_TRACK_TYPE_THREAD_COUNTER,
                                   (uint64_t)ev->utid, 0};
        *scope = TM_TRACK_THREAD;
        return st;
    case TM_SCOPE_PROCESS:
        return process_of(tasks, ev, id, scope, err);
    case TM_SCOPE_CPU:
        *id = (struct tm_track_id){ev->place.file, ev->place.machine, TM_TRACK_TYPE_CPU_COUNTER, e->cpu, 0};
        if (ev->is_of_sample) { /* each sequence has a session of its own */
            id->type = TM_TRACK_TYPE_PERF_COUNTER;
            id->number |= (uint64_t)e->sequence << 32;
        }
        *scope = TM_TRACK_CPU;
        return tm_sched_cpu(&tasks->sched, ev->place.machine, e->cpu, err);
    default:
        if (e->flags & TM_EVENT_HAS_TRACK) {
            *id = (struct tm_track_id){ev->place.file, ev->place.machine, TM_TRACK_TYPE_GPU_COUNTER, e->track, 0};
            *scope = TM_TRACK_GPU;
            return TM_OK;
        }
        *id = (struct tm_track_id){ev->place.file, ev->place.machine, TM_TRACK_TYPE_COUNTER, 0, 0};
        *scope = TM_TRACK_GLOBAL;
        return TM_OK;
    }
}

static enum tm_status track_of(struct tm_model_tasks *tasks, struct tm_model_layout *layout, struct tm_model_event *ev,
                               uint32_t *track, struct tm_error *err)
{
    struct tm_track_id id;
    enum tm_track_scope scope;
    bool is_new;
    uint32_t name;
    if (tm_named_track_is_of_counter(ev->e)) {
        enum tm_status named = tm_model_named_track(tasks, layout, ev, track, err);
        if (named == TM_OK)
            layout->tracks.rows[*track].is_counter = true;
        return named;
    }
    if (tm_event_scope(ev->e->flags) == TM_SCOPE_TRACK)
        return tm_descriptors_track(
            &layout->descriptors,
            &(struct tm_described_event){.place = ev->place, .uuid = ev->e->track, .effect = TM_LANE_INSTANT}, track,
            err);
    enum tm_status st = owner_of(tasks, ev, &id, &scope, err);
    if (st != TM_OK || (st = tm_tracks_name(&layout->tracks, ev->name, &name, err)) < 0)
        return st;
    id.second = name;
    st = tm_tracks_get(&layout->tracks, &id, track, &is_new, err);
    if (st == TM_OK && is_new) {
        struct tm_track *row = &layout->tracks.rows[*track];
        row->scope = scope;
        row->owner = scope == TM_TRACK_GLOBAL ? TM_NO_ID : scope == TM_TRACK_CPU ? ev->e->cpu : (int64_t)id.number;
        row->is_counter = true;
        row->name = name;
    }
    return st;
}

/* Gives a slice the counter E of its packet, if that states the time or the instructions of the slice's thread. */
static enum tm_status note_thread_reading(struct tm_model_layout *layout, struct tm_model_output *out,
                                          const struct tm_event *e, const struct tm_counter_row *row,
                                          struct tm_error *err)
{
    int64_t id = out->packet.slice_id;
    if (id == TM_NO_ID || !(e->flags & TM_EVENT_DERIVED) || e->flags & TM_EVENT_VALUE_DOUBLE)
        return TM_OK;
    struct tm_text name = tm_tracks_text(&layout->tracks, layout->tracks.rows[row->track].name);
    struct tm_thread_reading reading = {.value = (int64_t)e->value,
                                        .is_instructions = tm_text_is(name, "thread_instruction_count"),
                                        .has_length = out->packet.is_whole};
    if (!reading.is_instructions && !tm_text_is(name, "thread_time"))
        return TM_OK;
    reading.length = reading.is_instructions ? out->packet.thread_instruction_delta : out->packet.thread_dur;
    return out->packet.is_end ? out->rows->slice_thread_end(out->rows->self, id, &reading, err)
                                  : out->rows->slice_thread_begin(out->rows->self, id, &reading, err);
}

/* Adds a counter for a sample of perf.data: how often its event has happened so far, on the CPU if that is known. */
enum tm_status tm_model_sample_counter(struct tm_model *m, const struct tm_model_event *ev,
                                       struct tm_sample_row *sample, struct tm_error *err)
{
    struct tm_event e = *ev->e;
    struct tm_model_event counter = *ev;
    struct tm_counter_row row = {.ts = e.time_ns, .arg_set = TM_NO_ID};
    counter.e = &e;
    e.flags &= TM_EVENT_HAS_CPU;
    e.flags |= tm_event_scope_flags(e.flags ? TM_SCOPE_CPU : TM_SCOPE_GLOBAL);
    enum tm_status st = track_of(&m->tasks, &m->layout, &counter, &row.track, err);
    if (st < 0)
        return st;
    struct tm_key key = {row.track, 0, 0};
    int64_t before = tm_table_find(&m->sample_counts, &key), sum = before == TM_TABLE_NONE ? 0 : before;
    if (!tm_add_i64(sum, (int64_t)e.value, &sum) || sum == TM_TABLE_NONE)
        return TM_OK;
    if ((st = tm_table_set(&m->sample_counts, &key, sum, err)) < 0)
        return st;
    sample->counter = row.track;
    sample->count = row.value = (double)sum;
    return m->out.rows->counter(m->out.rows->self, &row, err);
}

enum tm_status tm_model_counter(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                struct tm_model_output *out, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_counter_row row = {.ts = e->time_ns};
    struct tm_event with;
    if (!(e->flags & TM_EVENT_HAS_VALUE))
        return TM_OK;
    enum tm_status st = track_of(tasks, layout, ev, &row.track, err);
    if (st == TM_END && tm_named_track_is_of_counter(e)) /* the reference importer does not count them either */
        return TM_OK;
    if (st == TM_END && tm_event_scope(e->flags) == TM_SCOPE_PROCESS)
        return tm_model_count(out, ev->place, TM_MODEL_MEMORY_WITHOUT_THREAD, err);
    if (st != TM_OK)
        return st < 0 ? st : tm_model_count_without_track(out, ev, err);
    layout->tracks.rows[row.track].is_counter = true;
    row.value = e->flags & TM_EVENT_VALUE_DOUBLE ? tm_pb_double(e->value) : (double)(int64_t)e->value;
    if (layout->tracks.rows[row.track].named == TM_NAMED_TRACK_POWER_RAIL &&
        (st = tm_model_rail_args(out, ev, &with, err)) < 0)
        return st;
    e = ev->e;
    if ((st = tm_arg_sets_add(&out->arg_sets, e->detail, e->detail_bytes, &row.arg_set, err)) < 0)
        return st;
    tm_row_bounds_add(&out->bounds, e->time_ns);
    row.is_of_sample = ev->is_of_sample;
    if ((st = note_thread_reading(layout, out, e, &row, err)) < 0)
        return st;
    return out->rows->counter(out->rows->self, &row, err);
}

enum tm_status tm_model_counters_finish(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                        struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < layout->tracks.count; i++) {
        struct tm_track *row = &layout->tracks.rows[i];
        const bool is_of_line = row->type == TM_TRACK_TYPE_LINE_COUNTER_OF_THREAD;
        const bool is_of_thread = is_of_line || row->type == TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD;
        int32_t upid = is_of_thread ? tasks->processes.threads[row->owner].upid : TM_NO_ID;
        if (upid == TM_NO_ID)
            continue;
        const struct tm_track_id id = {row->file, row->machine,
                                       is_of_line ? TM_TRACK_TYPE_LINE_COUNTER : TM_TRACK_TYPE_PROCESS_COUNTER,
                                       (uint64_t)upid, row->name};
        row->scope = TM_TRACK_PROCESS;
        row->owner = upid;
        st = tm_tracks_become(&layout->tracks, i, &id, err);
    }
    return st;
}
