#include "model/internal.h"

#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <stdio.h>
#include <string.h>

static enum tm_lane_effect effect_of(const struct tm_event *e)
{
    const uint64_t second = e->track >> 32 & UINT16_MAX;
    switch (e->kind) {
    case TM_KIND_SLICE_BEGIN: return TM_LANE_BEGIN;
    case TM_KIND_SLICE_END: return TM_LANE_END;
    case TM_KIND_SLICE_ARGS: return e->flags & TM_EVENT_OPEN_ENDED ? TM_LANE_END : TM_LANE_INSTANT;
    default: return second == TM_NAMED_TRACK_ALONE ? TM_LANE_ALONE : TM_LANE_INSTANT;
    }
}

/* The facts in an event's detail about its track. */
struct named {
    struct tm_text name, unit, description;
    enum tm_named_track type;
    uint32_t gpu;              /* on a track of a driver: the cpu */
    int64_t pid;               /* of a GPU's slice: the process for which the GPU worked */
    int64_t tid;               /* of a GPU's slice: the thread; 0: not known */
    struct tm_text dimensions; /* what distinguishes the track from others of its type, as in a Detail message */
    struct tm_text source;     /* the args of its source, as in a Detail message */
};

static struct named decode(const struct tm_event *e)
{
    struct named named = {.type = TM_NAMED_TRACK_NONE};
    struct tm_pb_field part, f;
    if (!tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRACK, &part))
        return named;
    for (struct tm_pb pb = tm_pb_of(part.data, part.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TM_TRACK_DESCRIPTION_NAME && f.type == TM_PB_LEN)
            named.name = tm_text_given(f.data, f.len);
        else if (f.id == TM_TRACK_DESCRIPTION_UNIT && f.type == TM_PB_LEN)
            named.unit = tm_text_at(f.data, f.len);
        else if (f.id == TM_TRACK_DESCRIPTION_DESCRIPTION && f.type == TM_PB_LEN)
            named.description = tm_text_at(f.data, f.len);
        else if (f.id == TM_TRACK_DESCRIPTION_NAMED_TRACK && f.value < TM_NAMED_TRACK_COUNT)
            named.type = (enum tm_named_track)f.value;
        else if (f.id == TM_TRACK_DESCRIPTION_GPU)
            named.gpu = (uint32_t)f.value;
        else if (f.id == TM_TRACK_DESCRIPTION_PID)
            named.pid = tm_unzigzag(f.value);
        else if (f.id == TM_TRACK_DESCRIPTION_TID)
            named.tid = tm_unzigzag(f.value);
        else if (f.id == TM_TRACK_DESCRIPTION_DIMENSIONS && f.type == TM_PB_LEN)
            named.dimensions = (struct tm_text){f.data, f.len};
        else if (f.id == TM_TRACK_DESCRIPTION_SOURCE && f.type == TM_PB_LEN)
            named.source = (struct tm_text){f.data, f.len};
    }
    return named;
}

/* Finds the lane set of a GPU's queue, which its number identifies. */
static enum tm_status stage_set(struct tm_model_layout *layout, const struct tm_model_event *ev, uint32_t *set,
                                struct tm_error *err)
{
    struct tm_key key = {(uint64_t)ev->place.file << 32 | ev->place.machine, ev->e->track,
                         (uint64_t)(TM_SET_NAMED + TM_NAMED_TRACK_GPU_STAGE) << 56};
    return tm_lanes_set(&layout->lanes, &key, set, err);
}

/* Sets *LANE to the lane of an event in SET. An instant or a counter does not change *LANE. */
static enum tm_status lane_of(struct tm_model_layout *layout, const struct tm_event *e, uint32_t set, uint32_t *lane,
                              struct tm_error *err)
{
    const struct tm_lane_event event = {e->track, effect_of(e)};
    const struct tm_lane_slice slice = {0, e->time_ns, tm_slice_end_ns(e->time_ns, e->dur_ns)};
    if (e->kind == TM_KIND_SLICE_COMPLETE)
        return tm_lanes_first_free(&layout->lanes, set, slice, lane, err);
    return e->flags & TM_EVENT_HAS_TRACK ? tm_lanes_cookie(&layout->lanes, set, event, lane, err) : TM_OK;
}

struct batches_name {
    char text[256];
};

/* Makes the name of a track of batches: "GPU NAME (…)", with the process for which the GPU works. The text is empty if
 * the process is not known by now. */
static enum tm_status name_batches(struct tm_processes *p, uint32_t machine, const struct named *named,
                                   struct batches_name *full, struct tm_error *err)
{
    enum { AFTER_GPU = 3 };
    struct tm_text name = named->name;
    int64_t utid;
    full->text[0] = '\0';
    if (named->tid == 0 || name.len < AFTER_GPU)
        return TM_OK;
    enum tm_status st = tm_processes_thread(p, machine, named->tid, &utid, err);
    if (st < 0 || p->threads[utid].upid == TM_NO_ID)
        return st;
    struct tm_text process = tm_processes_text(p, p->processes[p->threads[utid].upid].name);
    if (process.data)
        snprintf(full->text, sizeof full->text, "GPU %.*s%.*s", (int)process.len, (const char *)process.data,
                 (int)(name.len - AFTER_GPU), (const char *)name.data + AFTER_GPU);
    return TM_OK;
}

/* Finds the process of E, which states the memory that a GPU has for a thread. TM_END: the thread is not known. */
static enum tm_status process_of_thread(struct tm_processes *p, const struct tm_event *e, int64_t *upid,
                                        struct tm_error *err)
{
    const int64_t utid = tm_processes_find_thread(p, e->machine, e->tid);
    if (utid == TM_NO_ID)
        return TM_END;
    const int64_t known = p->threads[utid].upid;
    enum tm_status st = tm_processes_process(p, e->machine, e->tid, upid, err);
    if (st == TM_OK && known != TM_NO_ID) /* the thread is not the main thread of the new process */
        *upid = known;
    return st;
}

/* Sets the scope and the owner of OF, the tracks of the event that NAMED was decoded from. TM_END: the owner is not
 * known. */
static enum tm_status find_owner(struct tm_model_tasks *tasks, struct tm_model_event *ev, const struct named *named,
                                 struct tm_lane_tracks *of, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool is_process = tm_event_scope(e->flags) == TM_SCOPE_PROCESS;
    bool is_thread = tm_event_scope(e->flags) == TM_SCOPE_THREAD;
    bool is_cpu = tm_event_scope(e->flags) == TM_SCOPE_CPU && named->type >= TM_NAMED_TRACK_DRIVER_SLICES;
    bool is_gpu = named->type == TM_NAMED_TRACK_GPU_STAGE || named->type == TM_NAMED_TRACK_GPU_WORK ||
                  named->type == TM_NAMED_TRACK_GPU_MEMORY || named->type == TM_NAMED_TRACK_GPU_COUNTER;
    enum tm_status st = TM_OK;
    of->scope = is_process  ? TM_TRACK_PROCESS
                : is_thread ? TM_TRACK_THREAD
                : is_cpu    ? TM_TRACK_CPU
                : is_gpu    ? TM_TRACK_GPU
                            : TM_TRACK_GLOBAL;
    of->owner = is_gpu ? (int64_t)named->gpu : TM_NO_ID;
    if (named->type == TM_NAMED_TRACK_PROCESS_GPU_MEMORY && !(e->flags & TM_EVENT_HAS_PID))
        st = process_of_thread(&tasks->processes, e, &of->owner, err);
    else if (is_process)
        st = tm_processes_process(&tasks->processes, ev->place.machine, e->pid, &of->owner, err);
    else if (is_thread && (st = tm_model_thread(tasks, ev, err)) == TM_OK)
        of->owner = ev->utid;
    else if (is_cpu && (st = tm_sched_cpu(&tasks->sched, ev->place.machine, named->gpu, err)) == TM_OK)
        of->owner = named->gpu;
    return st;
}

/* Puts what NAMED states of its track into ROW, unless an event before it did. TM_OK or TM_E_SYSTEM. */
static enum tm_status describe(struct tm_model_layout *layout, const struct named *named, struct tm_track *row,
                               struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (named->unit.len && row->unit == 0)
        st = tm_tracks_name(&layout->tracks, named->unit, &row->unit, err);
    if (st == TM_OK && named->description.len && row->description == 0)
        st = tm_tracks_name(&layout->tracks, named->description, &row->description, err);
    if (st == TM_OK && named->dimensions.len && row->merge_key == 0)
        st = tm_tracks_name(&layout->tracks, named->dimensions, &row->merge_key, err);
    if (st == TM_OK && named->source.len && row->source_args == 0 && layout->descriptors.keeps_source)
        st = tm_tracks_name(&layout->tracks, named->source, &row->source_args, err);
    return st;
}

enum tm_status tm_model_named_track(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                    struct tm_model_event *ev, uint32_t *track, struct tm_error *err)
{
    struct named named = decode(ev->e);
    struct tm_lane_tracks of = {.place = ev->place,
                                .tag = TM_SET_NAMED + (int)named.type,
                                .type = TM_TRACK_TYPE_NAMED,
                                .name = named.dimensions.len ? named.dimensions : named.name};
    uint32_t lane = UINT32_MAX; /* it has none */
    if (named.type == TM_NAMED_TRACK_FIRMWARE_SLICES) /* one track, whatever its events are called */
        of.name = (struct tm_text){0};
    enum tm_status st = find_owner(tasks, ev, &named, &of, err);
    if (st == TM_OK)
        st = named.type == TM_NAMED_TRACK_GPU_STAGE ? stage_set(layout, ev, &of.set, err)
                                                    : tm_model_lane_set(layout, &of, err);
    if (st == TM_OK && tm_named_track_has_lanes(named.type))
        st = lane_of(layout, ev->e, of.set, &lane, err);
    of.name = named.name;
    if (st != TM_OK || (st = tm_model_lane_track(layout, &of, lane, track, err)) != TM_OK)
        return st;
    struct tm_track *row = &layout->tracks.rows[*track];
    row->named = (uint8_t)named.type;
    if (named.type == TM_NAMED_TRACK_PROCESS_GPU_MEMORY)
        row->gpu = named.gpu;
    if (named.type == TM_NAMED_TRACK_ADRENO_BATCHES) {
        struct batches_name full;
        st = name_batches(&tasks->processes, ev->place.machine, &named, &full, err);
        if (st == TM_OK && full.text[0])
            st = tm_tracks_name(&layout->tracks, tm_text_str(full.text), &row->name, err);
    }
    return st == TM_OK ? describe(layout, &named, row, err) : st;
}

enum tm_status tm_model_named_args(struct tm_model_tasks *tasks, struct tm_model_output *out, struct tm_model_event *ev,
                                   struct tm_event *with, struct tm_error *err)
{
    struct named named = decode(ev->e);
    int64_t upid;
    if (named.type != TM_NAMED_TRACK_GPU_STAGE)
        return TM_OK;
    enum tm_status st = tm_processes_process(&tasks->processes, ev->place.machine, named.pid, &upid, err);
    if (st < 0)
        return st;
    tm_buf_clear(&out->args);
    if (tm_buf_add(&out->args, ev->e->detail, ev->e->detail_bytes) < 0 ||
        tm_detail_arg_int(&out->args, "upid", upid) < 0 || out->args.len > UINT32_MAX)
        return tm_error_nomem(err);
    *with = *ev->e;
    with->detail = out->args.data;
    with->detail_bytes = (uint32_t)out->args.len;
    ev->e = with;
    return TM_OK;
}
