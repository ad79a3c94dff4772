#include "model/internal.h"

#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

bool tm_model_has_named_track(const struct tm_event *e)
{
    return e->detail_bytes && e->detail[0] == (TM_DETAIL_TRACK << 3 | TM_PB_LEN) &&
           tm_event_scope(e->flags) != TM_SCOPE_TRACK;
}

static enum tm_lane_effect effect_of(uint32_t kind)
{
    return kind == TM_KIND_SLICE_BEGIN ? TM_LANE_BEGIN : kind == TM_KIND_SLICE_END ? TM_LANE_END : TM_LANE_INSTANT;
}

/* The facts in an event's detail about its track. */
struct named {
    struct tm_text name;
    enum tm_named_track type;
    uint32_t gpu;
    int64_t pid; /* of a GPU's slice: the process for which the GPU worked */
};

static struct named decode(const struct tm_event *e)
{
    struct named named = {.type = TM_NAMED_TRACK_NONE};
    struct tm_pb_field part, f;
    if (!tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRACK, &part))
        return named;
    for (struct tm_pb pb = tm_pb_of(part.data, part.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TM_TRACK_DESCRIPTION_NAME && f.type == TM_PB_LEN)
            named.name = (struct tm_text){f.data ? f.data : (const uint8_t *)"", f.len};
        else if (f.id == TM_TRACK_DESCRIPTION_NAMED_TRACK && f.value < TM_NAMED_TRACK_COUNT)
            named.type = (enum tm_named_track)f.value;
        else if (f.id == TM_TRACK_DESCRIPTION_GPU)
            named.gpu = (uint32_t)f.value;
        else if (f.id == TM_TRACK_DESCRIPTION_PID)
            named.pid = tm_unzigzag(f.value);
    }
    return named;
}

/* A queue of a GPU is identified by its number. Overlapping work on it is on lanes. */
static enum tm_status gpu_lane(struct tm_model *m, const struct tm_model_event *ev, uint32_t *set, uint32_t *lane,
                               struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct tm_key key = {(uint64_t)ev->place.file << 32 | ev->place.machine, e->track,
                         (uint64_t)(TM_SET_NAMED + TM_NAMED_TRACK_GPU_STAGE) << 56};
    int64_t end = tm_slice_end_ns(e->time_ns, e->dur_ns);
    enum tm_status st = tm_lanes_set(&m->lanes, &key, set, err);
    return st < 0 ? st : tm_lanes_flat(&m->lanes, *set, (struct tm_lane_slice){0, e->time_ns, end}, lane, err);
}

enum tm_status tm_model_named_track(struct tm_model *m, struct tm_model_event *ev, uint32_t *track,
                                    struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    struct named named = decode(e);
    bool is_process = tm_event_scope(e->flags) == TM_SCOPE_PROCESS, is_gpu = named.type == TM_NAMED_TRACK_GPU_STAGE;
    struct tm_lane_tracks of = {ev->place,
                                TM_SET_NAMED + (int)named.type,
                                TM_TRACK_TYPE_NAMED,
                                is_process ? TM_TRACK_PROCESS
                                : is_gpu   ? TM_TRACK_GPU
                                           : TM_TRACK_GLOBAL,
                                is_gpu ? (int64_t)named.gpu : TM_NO_ID,
                                named.name,
                                0};
    const struct tm_lane_event event = {e->track, effect_of(e->kind)};
    uint32_t lane = UINT32_MAX;
    enum tm_status st = TM_OK;
    if (is_process)
        st = tm_processes_process(&m->processes, ev->place.machine, e->pid, &of.owner, err);
    if (st == TM_OK)
        st = is_gpu ? gpu_lane(m, ev, &of.set, &lane, err) : tm_model_lane_set(m, &of, err);
    if (st == TM_OK && e->flags & TM_EVENT_ASYNC)
        st = tm_lanes_cookie(&m->lanes, of.set, event, &lane, err);
    if (st == TM_OK && (st = tm_model_lane_track(m, &of, lane, track, err)) == TM_OK)
        m->tracks.rows[*track].named = (uint8_t)named.type;
    return st;
}

enum tm_status tm_model_named_args(struct tm_model *m, struct tm_model_event *ev, struct tm_event *with,
                                   struct tm_error *err)
{
    struct named named = decode(ev->e);
    int64_t upid;
    if (named.type != TM_NAMED_TRACK_GPU_STAGE)
        return TM_OK;
    enum tm_status st = tm_processes_process(&m->processes, ev->place.machine, named.pid, &upid, err);
    if (st < 0)
        return st;
    tm_buf_clear(&m->args);
    if (tm_buf_add(&m->args, ev->e->detail, ev->e->detail_bytes) < 0 ||
        tm_detail_arg_int(&m->args, "upid", upid) < 0 || m->args.len > UINT32_MAX)
        return tm_error_nomem(err);
    *with = *ev->e;
    with->detail = m->args.data;
    with->detail_bytes = (uint32_t)m->args.len;
    ev->e = with;
    return TM_OK;
}
