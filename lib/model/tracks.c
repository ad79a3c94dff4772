#include "model/tracks.h"

#include "base/table.h"
#include "kernel/tracks.h"

#include <stdlib.h>

const char *tm_track_type_name(enum tm_track_type type)
{
    static const char *const names[] = {
        [TM_TRACK_TYPE_THREAD] = "thread_execution",
        [TM_TRACK_TYPE_THREAD_OVERLAP] = "thread_overlapping_slice",
        [TM_TRACK_TYPE_PROCESS_INSTANTS] = "chrome_process_instant",
        [TM_TRACK_TYPE_GLOBAL_INSTANTS] = "legacy_chrome_global_instants",
        [TM_TRACK_TYPE_ASYNC_PROCESS] = "legacy_async_process_slice",
        [TM_TRACK_TYPE_ASYNC_GLOBAL] = "legacy_async_global_slice",
        [TM_TRACK_TYPE_MARKER_ASYNC] = "atrace_async_slice",
        [TM_TRACK_TYPE_MARKER_TRACK] = "atrace_async_slice_for_track",
        [TM_TRACK_TYPE_DEVICE_STATE] = "android_device_state",
        [TM_TRACK_TYPE_DESCRIBED] = "track_event",
        [TM_TRACK_TYPE_DESCRIBED_LANE] = "merged_track_event",
        [TM_TRACK_TYPE_COUNTER] = "counter",
        [TM_TRACK_TYPE_THREAD_COUNTER] = "thread_counter",
        [TM_TRACK_TYPE_PROCESS_COUNTER] = "process_counter",
        [TM_TRACK_TYPE_LINE_COUNTER] = "process_counter",
        [TM_TRACK_TYPE_PROCESS_COUNTER_OF_THREAD] = "process_counter_thread_fallback",
        [TM_TRACK_TYPE_LINE_COUNTER_OF_THREAD] = "process_counter_thread_fallback",
        [TM_TRACK_TYPE_CPU_COUNTER] = "cpu_counter",
        [TM_TRACK_TYPE_PERF_COUNTER] = "perf_cpu_counter",
        [TM_TRACK_TYPE_GPU_COUNTER] = "gpu_frequency",
        [TM_TRACK_TYPE_NAMED] = "unknown",
    };
    return type >= TM_TRACK_TYPE_KERNEL ? tm_kernel_track_type((enum tm_kernel_track)(type - TM_TRACK_TYPE_KERNEL))
                                        : names[type];
}

void tm_tracks_init(struct tm_tracks *tracks)
{
    *tracks = (struct tm_tracks){0};
    tm_intern_init(&tracks->names, UINT32_C(1) << 30, TM_TRACK_TEXT_BYTES_MAX);
}

void tm_tracks_release(struct tm_tracks *tracks)
{
    free(tracks->rows);
    tm_index_release(&tracks->index);
    tm_intern_release(&tracks->names);
    *tracks = (struct tm_tracks){0};
}

static uint64_t hash_of(const struct tm_tracks *tracks, const struct tm_track_id *id)
{
    const struct tm_index *index = &tracks->index;
    uint64_t hash = tm_index_hash_u64(index, id->number);
    hash = tm_index_hash_more(index, hash, (uint64_t)id->file << 32 | id->machine);
    return tm_index_hash_more(index, hash, (uint64_t)id->second << 8 | id->type);
}

static bool is_track(const struct tm_track *t, const struct tm_track_id *id)
{
    return t->number == id->number && t->lane == id->second && t->type == id->type && t->file == id->file &&
           t->machine == id->machine;
}

static enum tm_status new_track(struct tm_tracks *tracks, const struct tm_track_id *id, uint64_t hash,
                                struct tm_error *err)
{
    if (tracks->count >= TM_TRACKS_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d tracks (TM_TRACKS_MAX)", TM_TRACKS_MAX);
    enum tm_status st = tm_array_grow(&tracks->rows, &tracks->cap, tracks->count, sizeof *tracks->rows, err);
    if (st < 0)
        return st;
    if (tm_index_add(&tracks->index, hash, tracks->count) < 0)
        return tm_error_nomem(err);
    tracks->rows[tracks->count++] = (struct tm_track){.number = id->number,
                                                      .file = id->file,
                                                      .machine = id->machine,
                                                      .type = id->type,
                                                      .owner = TM_NO_ID,
                                                      .parent = TM_NO_ID,
                                                      .same_as = TM_NO_ID,
                                                      .gpu = TM_NO_ID,
                                                      .dimension_set = TM_NO_ID,
                                                      .lane = id->second,
                                                      .arg_set = TM_NO_ID};
    return TM_OK;
}

static uint32_t find(const struct tm_tracks *tracks, const struct tm_track_id *id, uint64_t hash)
{
    struct tm_probe probe = tm_probe(&tracks->index, hash);
    uint32_t track;
    while ((track = tm_probe_next(&tracks->index, &probe)) != TM_INDEX_NONE && !is_track(&tracks->rows[track], id))
        ;
    return track;
}

enum tm_status tm_tracks_become(struct tm_tracks *tracks, uint32_t track, const struct tm_track_id *id,
                                struct tm_error *err)
{
    struct tm_track *row = &tracks->rows[track];
    uint64_t hash = hash_of(tracks, id);
    uint32_t other = find(tracks, id, hash);
    if (other != TM_INDEX_NONE) {
        row->same_as = (int32_t)other;
        return TM_OK;
    }
    row->number = id->number;
    row->lane = id->second;
    row->type = id->type;
    return tm_index_add(&tracks->index, hash, track) < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_tracks_get(struct tm_tracks *tracks, const struct tm_track_id *id, uint32_t *track, bool *is_new,
                             struct tm_error *err)
{
    tm_index_seed(&tracks->index);
    uint64_t hash = hash_of(tracks, id);
    *track = find(tracks, id, hash);
    *is_new = *track == TM_INDEX_NONE;
    if (!*is_new)
        return TM_OK;
    *track = tracks->count;
    return new_track(tracks, id, hash, err);
}

enum tm_status tm_tracks_name(struct tm_tracks *tracks, struct tm_text text, uint32_t *name, struct tm_error *err)
{
    uint32_t id;
    *name = 0;
    if (text.data == NULL)
        return TM_OK;
    enum tm_status st = tm_intern_add(&tracks->names, text.data, text.len, &id, NULL);
    if (st == TM_END)
        return tm_error_set(err, TM_E_INPUT, "names of tracks of more than %d bytes (TM_TRACK_TEXT_BYTES_MAX)",
                            TM_TRACK_TEXT_BYTES_MAX);
    if (st < 0)
        return tm_error_nomem(err);
    *name = id + 1;
    return TM_OK;
}

struct tm_text tm_tracks_text(const struct tm_tracks *tracks, uint32_t name)
{
    struct tm_text text = {0};
    if (name)
        text.data = tm_intern_get(&tracks->names, name - 1, &text.len);
    return text;
}
