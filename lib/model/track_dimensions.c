#include "model/track_dimensions.h"

#include "model/sched.h"
#include "stream/detail_arg.h"

#include <string.h>

static int64_t number_of(struct tm_text digits)
{
    int64_t n = 0;
    for (size_t i = 0; i < digits.len && digits.data[i] >= '0' && digits.data[i] <= '9' && n < UINT32_MAX; i++)
        n = n * 10 + (digits.data[i] - '0');
    return n;
}

enum tm_status tm_track_arg(struct tm_buf *detail, const char *key, struct tm_text text)
{
    return text.data ? tm_detail_arg_text(detail, key, text.data, text.len) : tm_detail_arg_null(detail, key);
}

static enum tm_status put_named(const struct tm_column_type *type, struct tm_text name, struct tm_buf *detail)
{
    size_t before = type->before ? strlen(type->before) : 0, after = type->after ? strlen(type->after) : 0;
    if (type->key == NULL || name.data == NULL || name.len < before + after)
        return TM_OK;
    struct tm_text value = {name.data + before, name.len - before - after};
    return type->is_number ? tm_detail_arg_int(detail, type->key, number_of(value))
                           : tm_detail_arg_text(detail, type->key, value.data, value.len);
}

static enum tm_status put_owner(const struct tm_track *track, struct tm_buf *detail)
{
    enum tm_status st;
    switch (track->scope) {
    case TM_TRACK_THREAD: return tm_detail_arg_int(detail, "utid", track->owner);
    case TM_TRACK_PROCESS:
        st = tm_detail_arg_int(detail, "upid", track->owner);
        return st < 0 || track->gpu == TM_NO_ID
                   ? st
                   : tm_detail_arg_int(detail, "ugpu", tm_ucpu(track->machine, (uint32_t)track->gpu));
    case TM_TRACK_CPU: return tm_detail_arg_int(detail, "cpu", track->owner);
    case TM_TRACK_GPU:
        st = tm_detail_arg_int(detail, "ugpu", tm_ucpu(track->machine, (uint32_t)track->owner));
        return st < 0 ? st : tm_detail_arg_int(detail, "gpu", track->owner);
    default: return TM_OK;
    }
}

static bool is_in_lanes(enum tm_track_type type)
{
    return type == TM_TRACK_TYPE_ASYNC_PROCESS || type == TM_TRACK_TYPE_ASYNC_GLOBAL ||
           type == TM_TRACK_TYPE_MARKER_ASYNC || type == TM_TRACK_TYPE_MARKER_TRACK ||
           type == TM_TRACK_TYPE_DESCRIBED_LANE || type == TM_TRACK_TYPE_NAMED || type == TM_TRACK_TYPE_THREAD_OVERLAP;
}

/* Puts what distinguishes asynchronous slices: the scope of their ids, and the name of an id's first event. */
static enum tm_status put_async(const struct tm_tracks *tracks, const struct tm_track *track, struct tm_buf *detail)
{
    enum tm_status st = tm_track_arg(detail, "scope", tm_tracks_text(tracks, track->id_scope));
    return st < 0 ? st : tm_track_arg(detail, "name", tm_tracks_text(tracks, track->merge_key));
}

enum tm_status tm_track_dimensions(const struct tm_tracks *tracks, const struct tm_track *track,
                                   const struct tm_column_type *type, struct tm_buf *detail)
{
    const struct tm_text merge_key = tm_tracks_text(tracks, track->merge_key);
    enum tm_status st = put_owner(track, detail);
    if (st == TM_OK)
        st = tm_track_is_async(track) ? put_async(tracks, track, detail)
                                      : put_named(type, tm_tracks_text(tracks, track->name), detail);
    if (st == TM_OK && track->type == TM_TRACK_TYPE_DESCRIBED)
        st = tm_detail_arg_int(detail, "track_uuid", (int64_t)track->uuid);
    if (st == TM_OK && track->type == TM_TRACK_TYPE_DESCRIBED_LANE) {
        st = tm_detail_arg_int(detail, "parent_track_uuid", (int64_t)track->uuid);
        if (st == TM_OK)
            st = tm_detail_arg_int(detail, "merge_key_type", track->merge_key_type);
        if (st == TM_OK && merge_key.data)
            st = tm_detail_arg_text(detail, "merge_key_value", merge_key.data, merge_key.len);
    }
    if (st == TM_OK && track->type == TM_TRACK_TYPE_NAMED && merge_key.data)
        st = tm_buf_add(detail, merge_key.data, merge_key.len);
    if (st == TM_OK && is_in_lanes(track->type) && track->lane != UINT32_MAX)
        st = tm_detail_arg_int(detail, "track_compressor_idx", track->lane);
    return st;
}
