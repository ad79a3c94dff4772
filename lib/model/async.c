#include "model/internal.h"

#include "base/hash.h"
#include "stream/detail_fields.h"

#include <string.h>

enum tm_status tm_model_lane_set(struct tm_model_layout *layout, struct tm_lane_tracks *of, struct tm_error *err)
{
    uint32_t name;
    enum tm_status st = tm_tracks_name(&layout->tracks, of->name, &name, err);
    struct tm_key key = {(uint64_t)of->place.file << 32 | of->place.machine,
                         (uint64_t)of->owner ^ (uint64_t)of->id_scope << 32, (uint64_t)of->tag << 56 | name};
    return st < 0 ? st : tm_lanes_set(&layout->lanes, &key, &of->set, err);
}

enum tm_status tm_model_lane_track(struct tm_model_layout *layout, const struct tm_lane_tracks *of, uint32_t lane,
                                   uint32_t *track, struct tm_error *err)
{
    struct tm_track_id id = {of->place.file, of->place.machine, of->type, of->set, lane};
    bool is_new;
    enum tm_status st = tm_tracks_get(&layout->tracks, &id, track, &is_new, err);
    if (st < 0 || !is_new)
        return st;
    struct tm_track *row = &layout->tracks.rows[*track];
    row->scope = of->scope;
    row->owner = of->owner;
    return tm_tracks_name(&layout->tracks, of->name, &row->name, err);
}

/* The cookie of the lane of instants without a cookie. Cookies of Android have 32 bits. */
#define COOKIE_OF_INSTANTS UINT64_C(0x696e7374616e7473)

static enum tm_lane_effect effect_of(uint32_t kind)
{
    return kind == TM_KIND_SLICE_BEGIN ? TM_LANE_BEGIN : kind == TM_KIND_SLICE_END ? TM_LANE_END : TM_LANE_INSTANT;
}

/* True for the states of a phone that folds, which the reference shows on a track of no process. */
static bool is_device_state(const struct tm_model_event *ev)
{
    return ev->is_of_kernel && ev->e->kind == TM_KIND_INSTANT && tm_text_is(ev->category, "DeviceStateChanged");
}

static enum tm_status device_state_track(struct tm_tracks *tracks, const struct tm_model_event *ev, uint32_t *track,
                                         struct tm_error *err)
{
    const struct tm_track_id id = {ev->place.file, ev->place.machine, TM_TRACK_TYPE_DEVICE_STATE, 0, 0};
    bool is_new;
    enum tm_status st = tm_tracks_get(tracks, &id, track, &is_new, err);
    return st < 0 || !is_new ? st : tm_tracks_name(tracks, ev->category, &tracks->rows[*track].name, err);
}

/* Finds the track of a marker of atrace. That of S and F has the event's name. G, H and N name their track. N has a
 * lane of its own. */
static enum tm_status marker_track(struct tm_model_layout *layout, struct tm_model_event *ev, int64_t upid,
                                   uint32_t *track, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool is_named = ev->category.data != NULL;
    struct tm_lane_tracks of = {ev->place,
                                is_named ? TM_SET_MARKER_TRACK : TM_SET_MARKER_ASYNC,
                                is_named ? TM_TRACK_TYPE_MARKER_TRACK : TM_TRACK_TYPE_MARKER_ASYNC,
                                TM_TRACK_PROCESS,
                                upid,
                                is_named ? ev->category : ev->name,
                                0,
                                0};
    struct tm_lane_event event = {e->track, effect_of(e->kind)};
    uint32_t lane;
    enum tm_status st = tm_model_lane_set(layout, &of, err);
    if (st < 0)
        return st;
    if (!is_named && event.effect == TM_LANE_BEGIN)
        event.effect = TM_LANE_BEGIN_ONCE;
    if (!(e->flags & TM_EVENT_HAS_TRACK))
        event = (struct tm_lane_event){COOKIE_OF_INSTANTS, TM_LANE_ALONE};
    if ((st = tm_lanes_cookie(&layout->lanes, of.set, event, &lane, err)) < 0)
        return st;
    return tm_model_lane_track(layout, &of, lane, track, err);
}

/* Returns the name for a track of the event. Chrome JSON's default name is for slices without a name, not for
 * tracks. */
static struct tm_text own_name(const struct tm_model_event *ev)
{
    return ev->is_json && tm_text_is(ev->name, "[No name]") ? (struct tm_text){0} : ev->name;
}

/* Sets *SCOPE to the number of the text in which EV's id is unique, as the reference importer states it for legacy
 * events of protos: the category, with the id_scope if there is one; else for S, T, p and F the name. 0: none. */
static enum tm_status find_id_scope(struct tm_tracks *tracks, const struct tm_model_event *ev, uint32_t *scope,
                                    struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    struct tm_text plain = ev->category, stated = {0};
    struct tm_buf joined = {0};
    *scope = 0;
    if (tm_event_raw(ev->e->flags) != TM_RAW_PACKET)
        return TM_OK;
    while (tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_LEGACY_PHASE && f.type == TM_PB_VARINT)
            plain = ev->name;
        else if (f.id == TM_DETAIL_ID_SCOPE && f.type == TM_PB_LEN)
            stated = tm_text_given(f.data, f.len);
    }
    if (stated.data == NULL)
        return tm_tracks_name(tracks, plain, scope, err);
    enum tm_status st = TM_E_SYSTEM;
    if (tm_buf_add(&joined, ev->category.data, ev->category.len) == TM_OK && tm_buf_add_byte(&joined, ':') == TM_OK &&
        tm_buf_add(&joined, stated.data, stated.len) == TM_OK)
        st = TM_OK;
    st = st == TM_OK ? tm_tracks_name(tracks, (struct tm_text){joined.data, joined.len}, scope, err)
                     : tm_error_nomem(err);
    tm_buf_release(&joined);
    return st;
}

/* Returns what identifies EV's id among those that share the name of a first event: the reference importer does not
 * distinguish scopes of legacy ids of protos there. */
static uint64_t root_id(const struct tm_model_event *ev)
{
    struct tm_pb pb = tm_pb_of(ev->e->detail, ev->e->detail_bytes);
    struct tm_pb_field f;
    if (tm_event_raw(ev->e->flags) == TM_RAW_PACKET)
        while (tm_pb_next(&pb, &f) == TM_OK)
            if (f.id == TM_DETAIL_ID && f.type == TM_PB_LEN)
                return tm_hash64(f.data, f.len);
    return ev->e->track;
}

enum tm_status tm_model_async_track(struct tm_model_tasks *tasks, struct tm_model_layout *layout,
                                    struct tm_model_event *ev, uint32_t *track, struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool is_process = tm_event_scope(e->flags) == TM_SCOPE_PROCESS;
    int64_t upid = TM_NO_ID;
    uint32_t lane, root;
    enum tm_status st = TM_OK;
    if (is_device_state(ev))
        return device_state_track(&layout->tracks, ev, track, err);
    if (is_process && (st = tm_processes_process(&tasks->processes, ev->place.machine, e->pid, &upid, err)) < 0)
        return st;
    if (ev->is_of_kernel)
        return marker_track(layout, ev, upid, track, err);
    struct tm_lane_tracks of = {ev->place,
                                is_process ? TM_SET_ASYNC_PROCESS : TM_SET_ASYNC_GLOBAL,
                                is_process ? TM_TRACK_TYPE_ASYNC_PROCESS : TM_TRACK_TYPE_ASYNC_GLOBAL,
                                is_process ? TM_TRACK_PROCESS : TM_TRACK_GLOBAL,
                                upid,
                                {0},
                                0,
                                0};
    const struct tm_lane_event event = {e->track, effect_of(e->kind)};
    struct tm_key identity = {(uint64_t)ev->place.file << 32 | ev->place.machine, root_id(ev), (uint64_t)upid};
    if ((st = find_id_scope(&layout->tracks, ev, &of.id_scope, err)) < 0 ||
        (st = tm_tracks_name(&layout->tracks, own_name(ev), &root, err)) < 0 ||
        (st = tm_async_roots_get(&layout->async_roots, &identity, root, &root, err)) < 0)
        return st;
    of.name = tm_tracks_text(&layout->tracks, root);
    if ((st = tm_model_lane_set(layout, &of, err)) < 0 ||
        (st = tm_lanes_cookie(&layout->lanes, of.set, event, &lane, err)) < 0)
        return st;
    if (!tm_lanes_is_open(&layout->lanes, of.set, lane) &&
        (st = tm_async_roots_closed(&layout->async_roots, &identity, root, err)) < 0)
        return st;
    of.name = own_name(ev); /* a new lane gets the name of its first event */
    if ((st = tm_model_lane_track(layout, &of, lane, track, err)) < 0)
        return st;
    layout->tracks.rows[*track].merge_key = root;
    layout->tracks.rows[*track].id_scope = of.id_scope;
    return TM_OK;
}
