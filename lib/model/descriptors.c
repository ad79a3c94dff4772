#include "model/descriptors.h"

#include "base/pb.h"
#include "model/track_source.h"
#include "stream/detail_fields.h"

#include <assert.h>
#include <stdlib.h>

enum { TRACKS_MAX = 100 /* from a track to the root */ };
enum { MERGE_BY_NAME = 1, MERGE_NONE = 2, MERGE_BY_KEY = 3, SET_TAG = 1 };
enum { KEY_TYPE_OF_NAME = 0, KEY_TYPE_OF_KEY = 2 };

struct tm_descriptor {
    struct tm_place place;
    uint64_t uuid, parent_uuid;
    int64_t pid, tid;
    struct tm_resolved resolved;
    uint32_t name, unit, description, merge_key; /* numbers of texts of the tracks */
    uint32_t track;                 /* the track or the lane set */
    uint32_t event_name;
    uint32_t source_args;
    uint8_t merge;
    bool has_pid : 1, has_tid : 1, is_counter : 1;
    bool is_resolved : 1, has_track : 1, has_set : 1;
};

void tm_description_decode(struct tm_description *d, const uint8_t *data, size_t len)
{
    struct tm_pb pb = tm_pb_of(data, len);
    struct tm_pb_field f;
    *d = (struct tm_description){.message = {data, len}};
    while (tm_pb_next(&pb, &f) == TM_OK) {
        struct tm_text text = tm_text_given(f.data, f.len);
        switch (f.id) {
        case TM_TRACK_DESCRIPTION_UUID: d->uuid = f.value; break;
        case TM_TRACK_DESCRIPTION_PARENT_UUID: d->parent_uuid = f.value; break;
        case TM_TRACK_DESCRIPTION_NAME: d->name = text; break;
        case TM_TRACK_DESCRIPTION_PID: d->has_pid = true; d->pid = tm_unzigzag(f.value); break;
        case TM_TRACK_DESCRIPTION_TID: d->has_tid = true; d->tid = tm_unzigzag(f.value); break;
        case TM_TRACK_DESCRIPTION_IS_COUNTER: d->is_counter = f.value != 0; break;
        case TM_TRACK_DESCRIPTION_UNIT: d->unit = text; break;
        case TM_TRACK_DESCRIPTION_DESCRIPTION: d->description = text; break;
        case TM_TRACK_DESCRIPTION_IS_THREAD: d->is_thread = f.value != 0; break;
        case TM_TRACK_DESCRIPTION_IS_PROCESS: d->is_process = f.value != 0; break;
        case TM_TRACK_DESCRIPTION_SIBLING_MERGE_BEHAVIOR: d->merge = (uint32_t)f.value; break;
        case TM_TRACK_DESCRIPTION_SIBLING_MERGE_KEY: d->merge_key = text; break;
        default: break;
        }
    }
}

static uint64_t hash_of(const struct tm_descriptors *ds, struct tm_place place, uint64_t uuid)
{
    uint64_t hash = tm_index_hash_u64(&ds->index, uuid);
    return tm_index_hash_more(&ds->index, hash, (uint64_t)place.file << 32 | place.machine);
}

static struct tm_descriptor *find(const struct tm_descriptors *ds, struct tm_place place, uint64_t uuid)
{
    struct tm_probe probe = tm_probe(&ds->index, hash_of(ds, place, uuid));
    for (uint32_t i; (i = tm_probe_next(&ds->index, &probe)) != TM_INDEX_NONE;) {
        struct tm_descriptor *row = &ds->rows[i];
        if (row->uuid == uuid && row->place.file == place.file && row->place.machine == place.machine)
            return row;
    }
    return NULL;
}

/* Adds ROW. Its uuid has no row at its place yet. */
static enum tm_status add_row(struct tm_descriptors *ds, const struct tm_descriptor *row, struct tm_error *err)
{
    if (ds->count >= TM_DESCRIPTORS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d descriptions of tracks (TM_DESCRIPTORS_MAX)",
                            TM_DESCRIPTORS_MAX);
    enum tm_status st = tm_array_grow(&ds->rows, &ds->cap, ds->count, sizeof *ds->rows, err);
    if (st < 0)
        return st;
    tm_index_seed(&ds->index);
    if (tm_index_add(&ds->index, hash_of(ds, row->place, row->uuid), ds->count) < 0)
        return tm_error_nomem(err);
    ds->rows[ds->count++] = *row;
    return TM_OK;
}

static enum tm_status rename_track(struct tm_descriptors *ds, struct tm_descriptor *row, struct tm_text text,
                                   struct tm_error *err)
{
    uint32_t name;
    enum tm_status st = tm_tracks_name(ds->tracks, text, &name, err);
    if (st < 0 || name == 0)
        return st;
    if (row->name == 0 || row->merge == MERGE_NONE)
        row->name = name;
    if (row->merge == MERGE_NONE && row->has_track)
        ds->tracks->rows[row->track].name = name;
    return TM_OK;
}

static uint8_t merge_of(const struct tm_description *d)
{
    return (uint8_t)(d->merge && d->merge <= MERGE_BY_KEY ? d->merge : MERGE_BY_NAME);
}

/* True if both describe one track: same parent, same thread or process, and the like. */
static bool is_same(const struct tm_descriptor *row, const struct tm_descriptor *other)
{
    return row->parent_uuid == other->parent_uuid && row->has_pid == other->has_pid && row->has_tid == other->has_tid &&
           (!row->has_pid || row->pid == other->pid) && (!row->has_tid || row->tid == other->tid) &&
           row->is_counter == other->is_counter && row->merge == other->merge && row->merge_key == other->merge_key;
}

/* Sets the args that ROW, which D describes, gives to its track. */
static enum tm_status keep_source(struct tm_descriptors *ds, const struct tm_description *d, struct tm_descriptor *row,
                                  struct tm_error *err)
{
    struct tm_buf args = {0};
    enum tm_status st = TM_OK;
    if (!ds->keeps_source)
        return TM_OK;
    if (tm_track_source_described(d->message, &args) < 0)
        st = tm_error_nomem(err);
    else if (args.len)
        st = tm_tracks_name(ds->tracks, (struct tm_text){args.data, args.len}, &row->source_args, err);
    tm_buf_release(&args);
    return st;
}

enum tm_status tm_descriptors_add(struct tm_descriptors *ds, struct tm_place place, const struct tm_description *d,
                                  struct tm_error *err)
{
    struct tm_descriptor *row = find(ds, place, d->uuid);
    struct tm_descriptor stated = {.place = place,
                                   .uuid = d->uuid,
                                   .parent_uuid = d->parent_uuid,
                                   .pid = d->pid,
                                   .tid = d->tid,
                                   .has_pid = d->has_pid && (d->is_process || d->is_thread),
                                   .has_tid = d->has_tid && d->has_pid && d->is_thread,
                                   .is_counter = d->is_counter,
                                   .merge = merge_of(d)};
    enum tm_status st;
    if (d->uuid == 0 && d->parent_uuid)
        return tm_model_stats_add(ds->stats, place, TM_MODEL_DEFAULT_TRACK_WITH_PARENT, 1, err);
    if (stated.merge == MERGE_BY_KEY && (st = tm_tracks_name(ds->tracks, d->merge_key, &stated.merge_key, err)) < 0)
        return st;
    if (row)
        return is_same(row, &stated) ? rename_track(ds, row, d->name, err)
                                     : tm_model_stats_add(ds->stats, place, TM_MODEL_TRACK_CONFLICT, 1, err);
    if ((st = tm_tracks_name(ds->tracks, d->name, &stated.name, err)) < 0 ||
        (st = tm_tracks_name(ds->tracks, d->unit, &stated.unit, err)) < 0 ||
        (st = tm_tracks_name(ds->tracks, d->description, &stated.description, err)) < 0 ||
        (st = keep_source(ds, d, &stated, err)) < 0)
        return st;
    return add_row(ds, &stated, err);
}

/* Follows the ancestors of ROW. Returns what is wrong with them, or TM_MODEL_STAT_COUNT if they lead to the root. */
static enum tm_model_stat hierarchy_error(const struct tm_descriptors *ds, const struct tm_descriptor *row)
{
    uint64_t seen[TRACKS_MAX];
    for (int i = 0; i < TRACKS_MAX; i++) {
        for (int j = 0; j < i; j++)
            if (row->uuid == seen[j])
                return TM_MODEL_TRACK_LOOP;
        seen[i] = row->uuid;
        if (row->parent_uuid == 0 || row->uuid == 0)
            return i + 1 < TRACKS_MAX ? TM_MODEL_STAT_COUNT : TM_MODEL_TRACK_TOO_DEEP;
        row = find(ds, row->place, row->parent_uuid);
        if (row == NULL)
            return TM_MODEL_TRACK_WITHOUT_PARENT;
    }
    return TM_MODEL_TRACK_TOO_DEEP;
}

/* Notes that ROW describes its owner, a thread or process. A second one (*IS_SECOND) shows that the number was assigned
 * again. The owner that it then gets can have one more descriptor before the next shows that, as in the reference. */
static enum tm_status claim_owner(struct tm_descriptors *ds, const struct tm_descriptor *row, enum tm_track_scope scope,
                                  bool *is_second, struct tm_error *err)
{
    struct tm_key key = {(uint64_t)row->place.file << 32 | row->place.machine, (uint64_t)row->resolved.owner, scope};
    *is_second = tm_table_find(&ds->owners, &key) != TM_TABLE_NONE;
    return tm_table_set(&ds->owners, &key, 1, err);
}

static enum tm_status resolve_thread(struct tm_descriptors *ds, struct tm_descriptor *row, struct tm_error *err)
{
    struct tm_processes *p = ds->processes;
    struct tm_resolved *r = &row->resolved;
    const struct tm_thread_id id = {row->place.machine, row->pid, row->tid};
    bool is_second;
    enum tm_status st = tm_processes_thread_in(p, id, &r->owner, err);
    if (st < 0 || (st = claim_owner(ds, row, TM_TRACK_THREAD, &is_second, err)) < 0)
        return st;
    const struct tm_task_start start = {id.machine, id.tid, NULL};
    if (is_second && ((st = tm_processes_start_thread(p, start, &r->owner, err)) < 0 ||
                      (st = tm_processes_thread_in(p, id, &r->owner, err)) < 0))
        return st;
    r->scope = TM_TRACK_THREAD;
    r->is_root = true;
    return TM_OK;
}

static enum tm_status resolve_process(struct tm_descriptors *ds, struct tm_descriptor *row, struct tm_error *err)
{
    struct tm_processes *p = ds->processes;
    struct tm_resolved *r = &row->resolved;
    bool is_second;
    enum tm_status st = tm_processes_process(p, row->place.machine, row->pid, &r->owner, err);
    if (st < 0 || (st = claim_owner(ds, row, TM_TRACK_PROCESS, &is_second, err)) < 0)
        return st;
    const struct tm_task_start start = {row->place.machine, row->pid, NULL};
    if (is_second && (st = tm_processes_start_process(p, start, &r->owner, err)) < 0)
        return st;
    r->scope = TM_TRACK_PROCESS;
    r->is_root = true;
    return TM_OK;
}

/* Resolves ROW, whose parent is resolved. */
static enum tm_status resolve_row(struct tm_descriptors *ds, struct tm_descriptor *row, struct tm_error *err)
{
    row->is_resolved = true;
    row->resolved = (struct tm_resolved){.scope = TM_TRACK_GLOBAL, .owner = TM_NO_ID};
    if (row->has_tid)
        return resolve_thread(ds, row, err);
    if (row->has_pid)
        return resolve_process(ds, row, err);
    if (row->parent_uuid) {
        const struct tm_descriptor *parent = find(ds, row->place, row->parent_uuid);
        assert(parent);
        row->resolved = parent->resolved;
        row->resolved.is_root = false;
    }
    return TM_OK;
}

/* Finds or makes the descriptor of UUID, and resolves it. TM_END: it is invalid. */
static enum tm_status get(struct tm_descriptors *ds, struct tm_place place, uint64_t uuid, struct tm_descriptor **row,
                          struct tm_error *err)
{
    enum tm_status st;
    if ((*row = find(ds, place, uuid)) == NULL) {
        struct tm_description d = {.uuid = uuid};
        if (uuid == 0)
            d.name = tm_text_str(TM_DEFAULT_TRACK_NAME);
        if ((st = tm_descriptors_add(ds, place, &d, err)) < 0)
            return st;
        *row = find(ds, place, uuid);
        assert(*row);
    }
    enum tm_model_stat error = (*row)->is_resolved ? TM_MODEL_STAT_COUNT : hierarchy_error(ds, *row);
    if (error != TM_MODEL_STAT_COUNT) {
        st = tm_model_stats_add(ds->stats, place, error, 1, err);
        return st < 0 ? st : TM_END;
    }
    /* Resolves the outermost unresolved ancestor first. */
    while (!(*row)->is_resolved) {
        struct tm_descriptor *outer = *row, *parent;
        while (outer->parent_uuid && outer->uuid && (parent = find(ds, place, outer->parent_uuid)) != NULL &&
               !parent->is_resolved)
            outer = parent;
        if ((st = resolve_row(ds, outer, err)) < 0)
            return st;
    }
    return TM_OK;
}

enum tm_status tm_descriptors_resolve(struct tm_descriptors *ds, struct tm_place place, uint64_t uuid,
                                      struct tm_resolved *resolved, struct tm_error *err)
{
    struct tm_descriptor *row;
    enum tm_status st = get(ds, place, uuid, &row, err);
    if (st == TM_OK)
        *resolved = row->resolved;
    return st;
}

static enum tm_status track_of(struct tm_descriptors *ds, struct tm_descriptor *row, uint32_t lane, uint32_t *track,
                               struct tm_error *err);

/* Returns the number of the text that siblings of ROW share. */
static uint32_t label_of(const struct tm_descriptor *row)
{
    return row->merge == MERGE_BY_KEY ? row->merge_key : row->name ? row->name : row->event_name;
}

/* Copies the descriptor to the new row of TRACK. */
static enum tm_status describe(struct tm_descriptors *ds, const struct tm_descriptor *row, uint32_t track,
                               struct tm_error *err)
{
    struct tm_track *t = &ds->tracks->rows[track];
    struct tm_descriptor *parent = row->parent_uuid ? find(ds, row->place, row->parent_uuid) : NULL;
    uint32_t parent_track;
    t->scope = row->resolved.scope;
    t->owner = row->resolved.owner;
    t->is_counter = row->is_counter;
    t->name = row->name || row->is_counter || row->resolved.is_root ? row->name : row->event_name;
    t->unit = row->unit;
    t->description = row->description;
    t->uuid = t->type == TM_TRACK_TYPE_DESCRIBED_LANE ? row->parent_uuid : row->uuid;
    t->merge_key = label_of(row);
    t->source_uuid = row->uuid;
    t->source_args = row->source_args;
    t->is_root = row->resolved.is_root || row->uuid == 0;
    t->merge_key_type = row->merge == MERGE_BY_KEY ? KEY_TYPE_OF_KEY : KEY_TYPE_OF_NAME;
    if (parent == NULL || parent->resolved.is_root)
        return TM_OK;
    enum tm_status st = track_of(ds, parent, 0, &parent_track, err);
    if (st == TM_OK)
        ds->tracks->rows[track].parent = (int32_t)parent_track;
    return st;
}

/* Sets the lane set that ROW shares with its siblings. */
static enum tm_status set_of(struct tm_descriptors *ds, struct tm_descriptor *row, struct tm_error *err)
{
    struct tm_key key = {(uint64_t)row->place.file << 32 | row->place.machine, row->parent_uuid,
                         (uint64_t)SET_TAG << 56 | (uint64_t)(row->merge == MERGE_BY_KEY) << 32 | label_of(row)};
    if (row->has_set)
        return TM_OK;
    row->has_set = true;
    return tm_lanes_set(ds->lanes, &key, &row->track, err);
}

static enum tm_status track_of(struct tm_descriptors *ds, struct tm_descriptor *row, uint32_t lane, uint32_t *track,
                               struct tm_error *err)
{
    const struct tm_resolved *r = &row->resolved;
    struct tm_track_id id = {row->place.file, row->place.machine, TM_TRACK_TYPE_DESCRIBED, row->uuid, 0};
    bool is_new, in_lanes = !r->is_root && !row->is_counter && row->merge != MERGE_NONE;
    enum tm_status st;
    if (row->has_track) {
        *track = row->track;
        return TM_OK;
    }
    if (in_lanes) {
        if ((st = set_of(ds, row, err)) < 0)
            return st;
        id = (struct tm_track_id){id.file, id.machine, TM_TRACK_TYPE_DESCRIBED_LANE, row->track, lane};
    } else if (r->is_root && r->scope == TM_TRACK_THREAD && !row->is_counter) {
        id = (struct tm_track_id){id.file, id.machine, TM_TRACK_TYPE_THREAD, (uint64_t)r->owner, 0};
    }
    if ((st = tm_tracks_get(ds->tracks, &id, track, &is_new, err)) < 0)
        return st;
    if (!in_lanes) {
        row->has_track = true;
        row->track = *track;
    }
    if (is_new && id.type == TM_TRACK_TYPE_THREAD) {
        ds->tracks->rows[*track].scope = TM_TRACK_THREAD;
        ds->tracks->rows[*track].owner = r->owner;
        return TM_OK;
    }
    return is_new ? describe(ds, row, *track, err) : TM_OK;
}

/* Sets *LANE for EVENT of ROW, whose set is known. */
static enum tm_status lane_of(struct tm_descriptors *ds, const struct tm_descriptor *row,
                              const struct tm_described_event *event, uint32_t *lane, struct tm_error *err)
{
    if (event->is_complete)
        return tm_lanes_complete(ds->lanes, row->track, (struct tm_lane_slice){row->uuid, event->ts, event->end}, lane,
                                 err);
    return tm_lanes_cookie(ds->lanes, row->track, (struct tm_lane_event){row->uuid, event->effect}, lane, err);
}

enum tm_status tm_descriptors_track(struct tm_descriptors *ds, const struct tm_described_event *event, uint32_t *track,
                                    struct tm_error *err)
{
    struct tm_descriptor *row;
    uint32_t lane = 0;
    enum tm_status st = get(ds, event->place, event->uuid, &row, err);
    if (st != TM_OK)
        return st;
    if (!row->has_track && !row->has_set && row->name == 0 && row->event_name == 0 &&
        (st = tm_tracks_name(ds->tracks, event->name, &row->event_name, err)) < 0)
        return st;
    bool in_lanes = !row->resolved.is_root && !row->is_counter && row->merge != MERGE_NONE;
    if (in_lanes && event->effect == TM_LANE_NONE)
        return TM_END;
    if (in_lanes && ((st = set_of(ds, row, err)) < 0 || (st = lane_of(ds, row, event, &lane, err)) < 0))
        return st;
    return track_of(ds, row, lane, track, err);
}

void tm_descriptors_release(struct tm_descriptors *ds)
{
    free(ds->rows);
    tm_index_release(&ds->index);
    tm_table_release(&ds->owners);
}
