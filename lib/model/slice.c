#include "model/internal.h"

#include "base/pb.h"
#include "kernel/tracks.h"
#include "model/binder_rows.h"
#include "perfetto/named_tracks.h"
#include "stream/detail_fields.h"

#include <inttypes.h>
#include <stdio.h>

enum { FLOW_BY_ID = 1, FLOWS_READ = 4 };

/* A field of the Detail that states a flow. */
struct stated_flow {
    uint32_t field;
    uint64_t id;
};

/* What an event states of its slice. All but the labels is in its detail. */
struct stated {
    tm_slice_label label[2];
    struct tm_found_args args;
    bool needs_thread;   /* it is a legacy event that belongs on a thread */
    bool names_track;    /* it is a legacy event that names NAMED_TRACK and is on another */
    uint64_t named_track;
    int64_t thread_dur, thread_instruction_delta; /* what a complete slice took of its thread */
    uint32_t flow_count; /* flow fields; the first FLOWS_READ of them follow */
    struct stated_flow flows[FLOWS_READ];
};

/* Returns the label of EV's name, which may have been translated. */
static tm_slice_label name_label(const struct tm_translations *translations, const struct tm_model_event *ev)
{
    return tm_slice_label_of(translations->has_slices ? TM_STRING_INLINE : ev->e->name, ev->name);
}

/* Translates the name of EV's slice and the hashes in its args. EV may then have *WITH as its event, which is valid
 * until the next event. */
static enum tm_status translate(struct tm_translations *translations, struct tm_model_output *out,
                                struct tm_model_event *ev, struct tm_event *with, struct tm_error *err)
{
    bool is_changed;
    ev->name = tm_translations_slice(translations, ev->place, ev->name);
    if (!translations->has_hashes || ev->e->detail_bytes == 0)
        return TM_OK;
    tm_buf_clear(&out->translated);
    const struct tm_text detail = {ev->e->detail, ev->e->detail_bytes};
    if (tm_translations_args(translations, ev->place, detail, &out->translated, &is_changed) < 0)
        return tm_error_nomem(err);
    if (!is_changed)
        return TM_OK;
    *with = *ev->e;
    with->detail = out->translated.data;
    with->detail_bytes = (uint32_t)out->translated.len;
    ev->e = with;
    return TM_OK;
}

enum tm_status tm_model_translate_tracks(struct tm_translations *translations, struct tm_model_layout *layout,
                                         struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < layout->tracks.count; i++) {
        struct tm_track *row = &layout->tracks.rows[i];
        bool is_renamed = row->type == TM_TRACK_TYPE_ASYNC_PROCESS ||
                          ((row->type == TM_TRACK_TYPE_DESCRIBED || row->type == TM_TRACK_TYPE_DESCRIBED_LANE) &&
                           row->scope == TM_TRACK_PROCESS);
        if (is_renamed)
            st = tm_tracks_name(&layout->tracks,
                                tm_translations_track(translations, (struct tm_place){row->file, row->machine},
                                                      tm_tracks_text(&layout->tracks, row->name)),
                                &row->name, err);
    }
    return st;
}

enum tm_status tm_model_thread_track(struct tm_model_layout *layout, struct tm_place place, int64_t utid,
                                     uint32_t *track, struct tm_error *err)
{
    struct tm_track_id id = {place.file, place.machine, TM_TRACK_TYPE_THREAD, (uint64_t)utid, 0};
    bool is_new;
    enum tm_status st = tm_tracks_get(&layout->tracks, &id, track, &is_new, err);
    if (st == TM_OK && is_new) {
        layout->tracks.rows[*track].scope = TM_TRACK_THREAD;
        layout->tracks.rows[*track].owner = utid;
    }
    return st;
}

/* Sets *TRACK to the track KERNEL of EV. */
static enum tm_status kernel_track(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                   struct tm_model_event *ev, uint32_t *track, struct tm_error *err)
{
    const enum tm_kernel_track kernel = tm_kernel_track_of(ev->e);
    const uint32_t instance = tm_kernel_track_instance(ev->e);
    const enum tm_track_scope scope = tm_kernel_track_scope(kernel);
    const enum tm_track_type type = (enum tm_track_type)((uint32_t)TM_TRACK_TYPE_KERNEL + kernel);
    struct tm_track_id id = {ev->place.file, ev->place.machine, type, instance, 0};
    char text[TM_KERNEL_TRACK_NAME_MAX];
    bool is_new;
    enum tm_status st = TM_OK;
    if (scope == TM_TRACK_CPU)
        st = tm_sched_cpu(&tasks->sched, ev->place.machine, instance, err);
    else if (scope == TM_TRACK_THREAD && (st = tm_model_thread(tasks, ev, err)) == TM_OK)
        id.number = (uint64_t)ev->utid;
    if (st < 0 || (st = tm_tracks_get(&layout->tracks, &id, track, &is_new, err)) < 0 || !is_new)
        return st;
    struct tm_track *row = &layout->tracks.rows[*track];
    row->scope = scope;
    row->owner = scope == TM_TRACK_GLOBAL ? TM_NO_ID : (int64_t)id.number;
    struct tm_text name = tm_kernel_track_name(kernel, instance, text);
    if (tm_kernel_track_is_called_as_slices(kernel))
        name = ev->name;
    return tm_tracks_name(&layout->tracks, name, &row->name, err);
}

/* Sets *TRACK to the track whose uuid EV has. TM_END: there is none. */
static enum tm_status described_track(struct tm_model_layout *layout, struct tm_model_event *ev, uint32_t *track,
                                      struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_described_event event = {.place = ev->place,
                                       .uuid = e->track,
                                       .name = ev->name,
                                       .effect = e->kind == TM_KIND_SLICE_BEGIN ? TM_LANE_BEGIN
                                                 : e->kind == TM_KIND_SLICE_END ? TM_LANE_END
                                                                                : TM_LANE_INSTANT,
                                       .is_complete = e->kind == TM_KIND_SLICE_COMPLETE,
                                       .ts = e->time_ns};
    if (event.is_complete)
        event.end = tm_slice_end_ns(e->time_ns, e->dur_ns);
    return tm_descriptors_track(&layout->descriptors, &event, track, err);
}

/* Sets *TRACK to the track on which EV acts. TM_END: it has none. */
static enum tm_status track_of(struct tm_model_tasks *tasks, struct tm_model_layout *layout, struct tm_model_event *ev,
                               uint32_t *track, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_track_id id = {ev->place.file, ev->place.machine, TM_TRACK_TYPE_GLOBAL_INSTANTS, 0, 0};
    int64_t upid = TM_NO_ID;
    bool is_new;
    enum tm_status st;
    if (tm_named_track_is_of(e))
        return tm_model_named_track(tasks, layout, ev, track, err);
    if (tm_kernel_track_of(e))
        return kernel_track(tasks, layout, ev, track, err);
    if (e->flags & TM_EVENT_ASYNC)
        return tm_model_async_track(tasks, layout, ev, track, err);
    switch (tm_event_scope(e->flags)) {
    case TM_SCOPE_THREAD:
        st = tm_model_thread(tasks, ev, err);
        return st < 0 ? st : tm_model_thread_track(layout, ev->place, ev->utid, track, err);
    case TM_SCOPE_TRACK:
        return described_track(layout, ev, track, err);
    case TM_SCOPE_PROCESS:
        if ((st = tm_processes_process(&tasks->processes, ev->place.machine, e->pid, &upid, err)) < 0)
            return st;
        id.type = TM_TRACK_TYPE_PROCESS_INSTANTS;
        id.number = (uint64_t)upid;
        break;
    default:
        break;
    }
    st = tm_tracks_get(&layout->tracks, &id, track, &is_new, err);
    if (st == TM_OK && is_new && upid != TM_NO_ID) {
        layout->tracks.rows[*track].scope = TM_TRACK_PROCESS;
        layout->tracks.rows[*track].owner = upid;
    }
    return st;
}

/* Applies field FIELD of the Detail, with flow KEY. */
static enum tm_status apply_flow(struct tm_flows *flows, uint32_t field, const struct tm_key *key,
                                 struct tm_flow_slice slice, struct tm_error *err)
{
    bool active = tm_flows_active(flows, key);
    switch (field) {
    case TM_DETAIL_FLOW_IDS: /* a flow starts at the first slice with its id */
        return active ? tm_flows_step(flows, key, slice, err) : tm_flows_start(flows, key, slice, err);
    case TM_DETAIL_TERMINATING_FLOW_IDS:
        return active ? tm_flows_end(flows, key, slice, true, err) : TM_OK;
    case TM_DETAIL_BIND_OUT:
        return tm_flows_start(flows, key, slice, err);
    case TM_DETAIL_BIND_STEP:
        return tm_flows_step(flows, key, slice, err);
    default:
        return tm_flows_end(flows, key, slice, false, err);
    }
}

static bool is_flow(const struct tm_pb_field *f)
{
    return f->type == TM_PB_I64 && (f->id == TM_DETAIL_FLOW_IDS || f->id == TM_DETAIL_TERMINATING_FLOW_IDS ||
                                    (f->id >= TM_DETAIL_BIND_OUT && f->id <= TM_DETAIL_BIND_IN));
}

static struct tm_key flow_key(const struct tm_model_output *out, const struct tm_model_event *ev, uint64_t id)
{
    return (struct tm_key){tm_model_flow_namespace(out, ev), id, FLOW_BY_ID};
}

enum tm_status tm_model_count_flow(struct tm_model *m, struct tm_place place, const struct tm_flow_counts *before,
                                   bool is_end, struct tm_error *err)
{
    const struct tm_flow_counts *now = &m->flows.counts;
    enum tm_status st = TM_OK;
    if (now->without_slice != before->without_slice)
        st = tm_model_count(&m->out, place, TM_MODEL_FLOW_WITHOUT_SLICE, err);
    if (st == TM_OK && now->without_start != before->without_start)
        st = tm_model_count(&m->out, place,
                            is_end ? TM_MODEL_FLOW_END_WITHOUT_START : TM_MODEL_FLOW_STEP_WITHOUT_START, err);
    if (st == TM_OK && now->duplicate != before->duplicate)
        st = tm_model_count(&m->out, place, TM_MODEL_FLOW_DUPLICATE, err);
    return st;
}

/* Applies FLOW of EV to the event's slice. */
static enum tm_status flow_id(struct tm_model *m, const struct tm_model_event *ev, const struct stated_flow *flow,
                              struct tm_flow_slice slice, struct tm_error *err)
{
    const struct tm_key key = flow_key(&m->out, ev, flow->id);
    const struct tm_flow_counts before = m->flows.counts;
    enum tm_status st = apply_flow(&m->flows, flow->field, &key, slice, err);
    return st < 0 ? st : tm_model_count_flow(m, ev->place, &before, flow->field == TM_DETAIL_BIND_IN, err);
}

/* Reads the detail of EV and loads what is read later for it. */
static void read_detail(const struct tm_model *m, const struct tm_model_event *ev, struct stated *stated)
{
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    stated->args = (struct tm_found_args){.detail = {ev->e->detail, ev->e->detail_bytes}};
    stated->flow_count = 0;
    stated->needs_thread = stated->names_track = false;
    stated->thread_dur = stated->thread_instruction_delta = 0;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (tm_found_args_is_arg(&f)) {
            tm_found_args_add(&stated->args, &f);
        } else if (f.id == TM_DETAIL_LEGACY_PHASE) {
            stated->needs_thread = f.value - 1 < 127 && strchr("BEXiI", (int)f.value) != NULL;
        } else if (f.id == TM_DETAIL_FLOW_TRACK && f.type == TM_PB_I64) {
            stated->names_track = true;
            stated->named_track = f.value;
        } else if (f.id == TM_DETAIL_THREAD_DUR) {
            stated->thread_dur = tm_unzigzag(f.value);
        } else if (f.id == TM_DETAIL_THREAD_INSTRUCTION_DELTA) {
            stated->thread_instruction_delta = tm_unzigzag(f.value);
        } else if (is_flow(&f) && stated->flow_count++ < FLOWS_READ) {
            const struct tm_key key = flow_key(&m->out, ev, f.value);
            tm_flows_prefetch(&m->flows, &key);
            stated->flows[stated->flow_count - 1] = (struct stated_flow){f.id, f.value};
        }
    }
    tm_arg_sets_prefetch(&m->out.arg_sets, &stated->args);
}

/* Applies the flows of an event's slice that have no room in struct stated. */
static enum tm_status more_flow_ids(struct tm_model *m, const struct tm_model_event *ev, struct tm_flow_slice slice,
                                    struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && tm_pb_next(&pb, &f) == TM_OK;)
        if (is_flow(&f) && i++ >= FLOWS_READ)
            st = flow_id(m, ev, &(struct stated_flow){f.id, f.value}, slice, err);
    return st;
}

/* Applies the flows of an event's slice. */
static enum tm_status flow_ids(struct tm_model *m, const struct tm_model_event *ev, const struct stated *stated,
                               struct tm_flow_slice slice, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; st == TM_OK && i < stated->flow_count && i < FLOWS_READ; i++)
        st = flow_id(m, ev, &stated->flows[i], slice, err);
    return st < 0 || stated->flow_count <= FLOWS_READ ? st : more_flow_ids(m, ev, slice, err);
}

/* Notes slice ID on TRACK; times of its thread may follow. */
static void note_packet_slice(struct tm_model_layout *layout, struct tm_model_output *out,
                              const struct tm_model_event *ev, uint32_t track, int64_t id)
{
    if (ev->is_json || out->rows->slice_thread_begin == NULL || layout->tracks.rows[track].scope != TM_TRACK_THREAD)
        return;
    out->packet.slice_id = id;
    out->packet.is_end = ev->e->kind == TM_KIND_SLICE_END;
    out->packet.is_whole = ev->e->kind == TM_KIND_INSTANT || ev->e->kind == TM_KIND_SLICE_COMPLETE;
}

static enum tm_status begun(struct tm_model *m, struct tm_model_event *ev, const struct stated *stated,
                            const struct tm_slice_row *row, struct tm_error *err)
{
    struct tm_flow_slice slice = {row->id, row->ts};
    enum tm_status st = tm_flows_begun(&m->flows, row->track, slice, err);
    tm_row_bounds_add(&m->out.bounds, row->ts);
    note_packet_slice(&m->layout, &m->out, ev, row->track, row->id);
    m->out.packet.thread_dur = stated->thread_dur;
    m->out.packet.thread_instruction_delta = stated->thread_instruction_delta;
    if (row->dur > 0)
        tm_row_bounds_add(&m->out.bounds, tm_slice_end_ns(row->ts, row->dur));
    return st < 0 ? st : flow_ids(m, ev, stated, slice, err);
}

/* True if complete slices may cross: on threads, and on tracks that do not come from packets, such as markers of a
 * profile. */
static bool may_cross(const struct tm_event *e)
{
    return tm_event_scope(e->flags) == TM_SCOPE_THREAD ||
           (tm_event_scope(e->flags) == TM_SCOPE_TRACK && tm_event_raw(e->flags) != TM_RAW_PACKET);
}

/* Moves a complete slice that crosses another of its track to an overflow track. */
static enum tm_status spill(struct tm_model *m, struct tm_model_event *ev, struct tm_slice_row *row,
                            const tm_slice_label label[2], struct tm_error *err)
{
    struct tm_lane_tracks of = {ev->place, TM_SET_OVERLAP, TM_TRACK_TYPE_THREAD_OVERLAP, TM_TRACK_THREAD, ev->utid, {0},
                                0, 0};
    uint32_t lane;
    bool crosses, described = tm_event_scope(ev->e->flags) == TM_SCOPE_TRACK;
    const struct tm_track from = m->layout.tracks.rows[row->track];
    if (described)
        of = (struct tm_lane_tracks){ev->place,  TM_SET_OVERLAP, TM_TRACK_TYPE_DESCRIBED_LANE,
                                     from.scope, from.owner,     tm_tracks_text(&m->layout.tracks, from.name),
                                     0,          0};
    const struct tm_lane_slice slice = {0, row->ts, tm_slice_end_ns(row->ts, row->dur)};
    enum tm_status st = tm_model_count(&m->out, ev->place, TM_MODEL_CROSSING, err);
    if (st < 0 || (st = tm_model_lane_set(&m->layout, &of, err)) < 0 ||
        (st = tm_lanes_crossing(&m->layout.lanes, of.set, slice, &lane, err)) < 0)
        return st;
    if (st == TM_OK && (st = tm_model_lane_track(&m->layout, &of, lane, &row->track, err)) == TM_OK) {
        if (described)
            m->layout.tracks.rows[row->track].parent = from.parent;
        st = tm_slices_begin(&m->slices, row, label, &crosses, err);
    }
    return st;
}

/* Counts the complete slices whose open descendants were cut short since there were BEFORE of them. */
static enum tm_status count_cuts(struct tm_model *m, struct tm_place place, uint64_t before, struct tm_error *err)
{
    uint64_t count = m->slices.cut_short - before;
    return count ? tm_model_stats_add(&m->out.stats, place, TM_MODEL_CUT_SHORT, count, err) : TM_OK;
}

static enum tm_status begin(struct tm_model *m, struct tm_model_event *ev, struct tm_slice_row *row,
                            const struct stated *stated, struct tm_error *err)
{
    bool crosses;
    uint64_t too_deep = m->slices.too_deep, cut = m->slices.cut_short;
    enum tm_status st = ev->e->kind == TM_KIND_SLICE_BEGIN
                            ? tm_arg_sets_open(&m->out.arg_sets, &stated->args, &row->arg_set, err)
                            : tm_arg_sets_add_found(&m->out.arg_sets, &stated->args, &row->arg_set, err);
    if (st < 0 || (st = tm_slices_begin(&m->slices, row, stated->label, &crosses, err)) < 0)
        return st;
    if (st == TM_END && crosses && may_cross(ev->e)) {
        if ((st = spill(m, ev, row, stated->label, err)) < 0)
            return st;
    }
    const enum tm_status counted = count_cuts(m, ev->place, cut, err);
    if (counted < 0)
        return counted;
    if (st == TM_END)
        return tm_model_count(&m->out, ev->place,
                              m->slices.too_deep != too_deep ? TM_MODEL_TOO_DEEP : TM_MODEL_CROSSING_DROPPED, err);
    return begun(m, ev, stated, row, err);
}

/* Times of the thread's own clock. In Chrome JSON they precede the args. Async events, and instants of a process or of
 * the whole trace, have none, as in the reference importer. */
struct thread_times {
    bool has_ts, has_dur;
    int64_t ts, dur;
};

static struct thread_times thread_times(const struct tm_model_event *ev)
{
    struct thread_times times = {0};
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    bool is_named = tm_named_track_is_of(ev->e); /* its own time counts from the slice's start */
    bool is_of_thread = ev->is_json && tm_event_scope(ev->e->flags) == TM_SCOPE_THREAD;
    if (!(is_of_thread || is_named) || ev->e->flags & TM_EVENT_ASYNC || ev->e->detail_bytes == 0)
        return times;
    while (tm_pb_next(&pb, &f) == TM_OK && f.id != TM_DETAIL_ARGS) {
        if (f.id == TM_DETAIL_THREAD_TIME) {
            times.has_ts = true;
            times.ts = tm_unzigzag(f.value);
        } else if (f.id == TM_DETAIL_THREAD_DUR) {
            times.has_dur = true;
            times.dur = tm_unzigzag(f.value);
            if (is_named) {
                times.has_ts = true;
                times.ts = ev->e->time_ns;
            }
        }
    }
    return times;
}

/* Names slice ID, which EV ends or gives args, by the frame that EV states, if it does. */
static enum tm_status name_by_frame(const struct tm_model_output *out, const struct tm_event *e, int64_t id,
                                    struct tm_error *err)
{
    char text[24];
    int64_t frame;
    if (out->rows->slice_name == NULL || !tm_named_track_frame(e, &frame))
        return TM_OK;
    const int len = snprintf(text, sizeof text, "%" PRId64, frame);
    return out->rows->slice_name(out->rows->self, id, tm_text_at(text, (size_t)len), err);
}

/* Joins the args about the begins on TRACK, whose slices do not nest, to *SET. */
static enum tm_status join_begins(struct tm_unnested_begins *unnested_begins, struct tm_model_output *out,
                                  uint32_t track, int64_t *set, struct tm_error *err)
{
    tm_buf_clear(&out->args);
    enum tm_status st = tm_unnested_begins_put(unnested_begins, track, &out->args);
    if (st < 0)
        return tm_error_nomem(err);
    return st == TM_END ? TM_OK : tm_arg_sets_join(&out->arg_sets, out->args.data, out->args.len, set, err);
}

static enum tm_status end(struct tm_model *m, struct tm_model_event *ev, uint32_t track,
                          const struct stated *stated, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    const struct tm_stated_end at = {e->time_ns, {stated->label[0], stated->label[1]}};
    struct tm_open_slice ended;
    uint64_t cut = m->slices.cut_short;
    enum tm_status found = tm_slices_end(&m->slices, track, &at, &ended, err);
    enum tm_status st = found;
    if (found >= 0)
        st = count_cuts(m, ev->place, cut, err);
    if (st < 0)
        return st;
    if (found == TM_END) {
        m->out.packet.is_unmatched = true;
        return tm_model_count(&m->out, ev->place, TM_MODEL_UNMATCHED_END, err);
    }
    if (e->flags & TM_EVENT_OPEN_ENDED)
        ended.dur = 0;
    else
        tm_row_bounds_add(&m->out.bounds, e->time_ns);
    if ((st = tm_arg_sets_join_found(&m->out.arg_sets, &stated->args, &ended.value, err)) < 0)
        return st;
    if (ev->is_of_kernel && m->layout.tracks.rows[track].type == TM_TRACK_TYPE_MARKER_ASYNC &&
        (st = join_begins(&m->unnested_begins, &m->out, track, &ended.value, err)) < 0)
        return st;
    struct tm_flow_slice slice = {ended.id, e->time_ns - ended.dur};
    st = m->out.rows->slice_end(m->out.rows->self, ended.id, ended.dur, ended.value, err);
    if (st == TM_OK)
        st = name_by_frame(&m->out, e, ended.id, err);
    note_packet_slice(&m->layout, &m->out, ev, track, ended.id);
    struct thread_times times = thread_times(ev);
    const struct tm_thread_reading reading = {.value = times.ts, .is_exact = true};
    if (st == TM_OK && times.has_ts && m->out.rows->slice_thread_end)
        st = m->out.rows->slice_thread_end(m->out.rows->self, ended.id, &reading, err);
    return st < 0 ? st : flow_ids(m, ev, stated, slice, err);
}

/* Names slices of Chrome JSON that have no name. */
static void default_name(struct tm_model_event *ev)
{
    const struct tm_event *e = ev->e;
    if (ev->is_json && ev->name.len == 0 && e->kind != TM_KIND_SLICE_END &&
        (e->kind != TM_KIND_INSTANT ||
         (!(e->flags & TM_EVENT_ASYNC) && tm_event_scope(e->flags) == TM_SCOPE_THREAD)))
        ev->name = tm_text_str("[No name]");
    if (tm_event_is_async_marker(e->flags) && !tm_named_track_is_of(e)) /* the name is that of the track */
        ev->category = (struct tm_text){0};
}

/* TM_OK: EV is on a thread, or its track is one of a thread. TM_END: it is not. */
static enum tm_status check_thread(struct tm_model *m, const struct tm_model_event *ev, struct tm_error *err)
{
    struct tm_resolved resolved;
    if (tm_event_scope(ev->e->flags) == TM_SCOPE_THREAD)
        return TM_OK;
    enum tm_status st = tm_descriptors_resolve(&m->layout.descriptors, ev->place, ev->e->track, &resolved, err);
    return st == TM_OK && resolved.scope != TM_TRACK_THREAD ? TM_END : st;
}

/* TM_OK: the track that EV names can be found. TM_END: it cannot, so the reference importer refuses EV. */
static enum tm_status check_named(struct tm_model *m, const struct tm_model_event *ev, uint64_t uuid,
                                  struct tm_error *err)
{
    struct tm_resolved resolved;
    return tm_descriptors_resolve(&m->layout.descriptors, ev->place, uuid, &resolved, err);
}

/* Sets *TRACK to the track of EV's slice, by what its detail states. TM_END: it has none, or none of a thread though it
 * needs one. */
static enum tm_status slice_track(struct tm_model *m, struct tm_model_event *ev, const struct stated *stated,
                                  uint32_t *track, struct tm_error *err)
{
    enum tm_status st = stated->needs_thread  ? check_thread(m, ev, err)
                        : stated->names_track ? check_named(m, ev, stated->named_track, err)
                                              : TM_OK;
    return st == TM_OK ? track_of(&m->tasks, &m->layout, ev, track, err) : st;
}

/* The events that take the place of one whose args change. */
struct changed {
    struct tm_event of_driver, with, translated;
};

/* Puts CHANGED in the place of EV's slice, which a driver states: its fields are args of the event alone, as in the
 * reference importer. */
static void leave_out_fields(struct tm_model_event *ev, struct tm_event *changed)
{
    *changed = *ev->e;
    changed->category = 0;
    changed->detail_bytes = (uint32_t)tm_named_track_bytes(ev->e->detail, ev->e->detail_bytes);
    ev->category = (struct tm_text){0};
    ev->e = changed;
}

/* Gives EV's slice the name and args that the trace alone does not state. EV may then have an event of CHANGED. */
static enum tm_status complete(struct tm_model *m, struct tm_model_event *ev, struct changed *changed,
                               struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (ev->e->kind == TM_KIND_SLICE_COMPLETE && tm_named_track_is_of(ev->e))
        st = tm_model_named_args(&m->tasks, &m->out, ev, &changed->with, err);
    default_name(ev);
    if (st == TM_OK && (m->translations.has_slices || m->translations.has_hashes))
        st = translate(&m->translations, &m->out, ev, &changed->translated, err);
    return st;
}

/* Notes EV if it begins a slice on a track whose slices do not nest. TM_END: one is open, so it makes none. */
static enum tm_status begin_unnested(struct tm_model *m, const struct tm_model_event *ev, uint32_t track,
                                     struct tm_error *err)
{
    if (ev->e->kind != TM_KIND_SLICE_BEGIN || !tm_event_is_async_marker(ev->e->flags) ||
        m->layout.tracks.rows[track].type != TM_TRACK_TYPE_MARKER_ASYNC)
        return TM_OK;
    enum tm_status st =
        m->out.options.adds_args ? tm_unnested_begins_add(&m->unnested_begins, track, ev->e->time_ns, err) : TM_OK;
    return st == TM_OK && tm_slices_has_any(&m->slices, track) ? TM_END : st;
}

static struct tm_slice_row row_of(const struct tm_model_event *ev, uint32_t track)
{
    const bool is_complete = ev->e->kind == TM_KIND_SLICE_COMPLETE;
    const struct thread_times times = thread_times(ev);
    return (struct tm_slice_row){.ts = ev->e->time_ns,
                                 .dur = is_complete ? ev->e->dur_ns : ev->e->kind == TM_KIND_SLICE_BEGIN ? -1 : 0,
                                 .track = track,
                                 .arg_set = TM_NO_ID,
                                 .name = ev->name,
                                 .category = ev->category,
                                 .has_thread_ts = times.has_ts,
                                 .thread_ts = times.ts,
                                 .has_thread_dur = times.has_dur && is_complete,
                                 .thread_dur = times.dur};
}

enum tm_status tm_model_slice(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    struct changed changed;
    struct stated stated;
    uint32_t track;
    if (tm_named_track_is_of_driver(ev->e))
        leave_out_fields(ev, &changed.of_driver);
    const struct tm_event *e = ev->e;
    if (e->kind == TM_KIND_SLICE_COMPLETE && (e->dur_ns < 0 || (e->flags & TM_EVENT_OPEN_ENDED)))
        return tm_model_count(&m->out, ev->place,
                              e->dur_ns < 0 ? TM_MODEL_NEGATIVE_DURATION : TM_MODEL_NO_DURATION, err);
    read_detail(m, ev, &stated);
    enum tm_status st = slice_track(m, ev, &stated, &track, err);
    if (st != TM_OK)
        return st < 0 ? st : tm_model_count_without_track(&m->out, ev, err);
    if ((st = complete(m, ev, &changed, err)) < 0)
        return st;
    stated.label[0] = name_label(&m->translations, ev);
    stated.label[1] = tm_slice_label_of(e->category, ev->category);
    if (e->kind == TM_KIND_SLICE_END) {
        if (tm_event_is_async_marker(e->flags))
            stated.label[0] = 0;
        if (ev->e != e) /* its args were translated */
            read_detail(m, ev, &stated);
        return end(m, ev, track, &stated, err);
    }
    if ((st = begin_unnested(m, ev, track, err)) != TM_OK)
        return st < 0 ? st : TM_OK;
    if ((e->flags & TM_EVENT_ASYNC || e->kind == TM_KIND_INSTANT) &&
        (st = tm_model_added_args(&m->out, ev, &changed.with, err)) < 0)
        return st;
    if (ev->e != e) /* it has other args now */
        read_detail(m, ev, &stated);
    struct tm_slice_row row = row_of(ev, track);
    return begin(m, ev, &row, &stated, err);
}

/* Sets *NAME to the name of the thread that EV calls. */
static enum tm_status destination(struct tm_model_tasks *tasks, const struct tm_model_event *ev, int64_t tid,
                                  struct tm_text *name, struct tm_error *err)
{
    int64_t utid;
    enum tm_status st = tm_processes_thread(&tasks->processes, ev->place.machine, tid, &utid, err);
    if (st == TM_OK)
        *name = tm_processes_text(&tasks->processes, tasks->processes.threads[utid].name);
    return st;
}

enum tm_status tm_model_slice_args(struct tm_model *m, struct tm_model_event *ev, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct stated stated = {
        .label = {name_label(&m->translations, ev), tm_slice_label_of(e->category, ev->category)}};
    struct tm_text name = {0};
    struct tm_buf detail = {0};
    uint32_t track;
    int64_t id, tid, *set;
    enum tm_status st = track_of(&m->tasks, &m->layout, ev, &track, err);
    if (st == TM_OK && e->flags & TM_EVENT_OPEN_ENDED) {
        read_detail(m, ev, &stated);
        return end(m, ev, track, &stated, err);
    }
    bool has_destination = tm_binder_destination(e, &tid);
    if (st == TM_OK && has_destination)
        st = destination(&m->tasks, ev, tid, &name, err);
    if (st < 0 || (set = tm_slices_args(&m->slices, track, stated.label, &id)) == NULL)
        return st < 0 ? st : TM_OK;
    if (tm_binder_name_destination(&detail, e, name) != TM_OK)
        st = tm_error_nomem(err);
    if (st >= 0)
        st = tm_arg_sets_join(&m->out.arg_sets, detail.data, detail.len, set, err);
    if (st >= 0)
        st = m->out.rows->slice_end(m->out.rows->self, id, -1, *set, err);
    if (st >= 0)
        st = name_by_frame(&m->out, e, id, err);
    tm_buf_release(&detail);
    return st;
}
