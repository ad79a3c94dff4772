#include "model/internal.h"

#include "perfetto/named_tracks.h"

bool tm_model_has_named_track(const struct tm_event *e)
{
    return e->detail_bytes && e->detail[0] == (TM_DETAIL_TRACK << 3 | TM_PB_LEN) &&
           tm_event_scope(e->flags) != TM_SCOPE_TRACK;
}

static enum tm_lane_event effect_of(uint32_t kind)
{
    return kind == TM_KIND_SLICE_BEGIN ? TM_LANE_BEGIN : kind == TM_KIND_SLICE_END ? TM_LANE_END : TM_LANE_INSTANT;
}

static void decode(const struct tm_event *e, struct tm_text *name, enum tm_named_track *type)
{
    struct tm_pb_field part, f;
    *type = TM_NAMED_TRACK_NONE;
    if (!tm_model_part(e->detail, e->detail_bytes, TM_DETAIL_TRACK, &part))
        return;
    for (struct tm_pb pb = tm_pb_of(part.data, part.len); tm_pb_next(&pb, &f) == TM_OK;) {
        if (f.id == TM_TRACK_DESCRIPTION_NAME && f.type == TM_PB_LEN)
            *name = (struct tm_text){f.data ? f.data : (const uint8_t *)"", f.len};
        else if (f.id == TM_TRACK_DESCRIPTION_NAMED_TRACK && f.value < TM_NAMED_TRACK_COUNT)
            *type = (enum tm_named_track)f.value;
    }
}

enum tm_status tm_model_named_track(struct tm_model *m, struct tm_model_event *ev, uint32_t *track,
                                    struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool is_process = tm_event_scope(e->flags) == TM_SCOPE_PROCESS;
    struct tm_lane_of of = {TM_SET_NAMED, TM_TRACK_TYPE_NAMED, is_process ? TM_TRACK_PROCESS : TM_TRACK_GLOBAL,
                            TM_NO_ID, {0}};
    enum tm_named_track type;
    uint32_t set, lane = UINT32_MAX;
    decode(e, &of.name, &type);
    of.tag += (int)type;
    enum tm_status st = TM_OK;
    if (is_process)
        st = tm_processes_process(&m->processes, ev->place.machine, e->pid, &of.owner, err);
    if (st < 0 || (st = tm_model_lane_set(m, ev->place, &of, &set, err)) < 0)
        return st;
    if (e->flags & TM_EVENT_ASYNC)
        st = tm_lanes_cookie(&m->lanes, set, e->track, effect_of(e->kind), &lane, err);
    if (st == TM_OK && (st = tm_model_lane_track(m, ev->place, &of, set, lane, track, err)) == TM_OK)
        m->tracks.rows[*track].named = (uint8_t)type;
    return st;
}
