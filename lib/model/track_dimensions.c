#include "model/track_dimensions.h"

#include "model/sched.h"
#include "stream/detail_arg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t number_of(struct tm_text text, const char *const *words)
{
    int64_t n = 0;
    for (; words && words[n]; n++)
        if (tm_text_is(text, words[n]))
            return n;
    n = 0;
    for (size_t i = 0; i < text.len && text.data[i] >= '0' && text.data[i] <= '9' && n < UINT32_MAX; i++)
        n = n * 10 + (text.data[i] - '0');
    return n;
}

enum tm_status tm_track_arg(struct tm_buf *detail, const char *key, struct tm_text text)
{
    return text.data ? tm_detail_arg_text(detail, key, text.data, text.len) : tm_detail_arg_null(detail, key);
}

/* Returns the length of the part of TEXT, LEN bytes, that comes before the constant part at the start of PATTERN. The
 * last constant part is the end of TEXT. */
static size_t value_len(const uint8_t *text, size_t len, const char *pattern)
{
    const size_t constant = strcspn(pattern, "{");
    if (pattern[constant] == '\0')
        return len < constant ? len : len - constant;
    for (size_t at = 0; at + constant <= len; at++)
        if (memcmp(text + at, pattern, constant) == 0)
            return at;
    return len;
}

/* Puts VALUE as the dimension that NAME, a part in braces, names. A part of a name that is empty has no value. */
static enum tm_status put_value(const struct tm_column_type *type, struct tm_text name, struct tm_text value,
                                struct tm_buf *detail)
{
    const char *end = strchr(type->pattern, '}');
    const bool is_number = name.len && name.data[0] == '#', is_whole = end && end[1] == '\0';
    char key[48];
    if (name.len == 0)
        return TM_OK;
    snprintf(key, sizeof key, "%.*s", (int)(name.len - is_number), (const char *)name.data + is_number);
    if (is_number)
        return tm_detail_arg_int(detail, key, number_of(value, type->words));
    return value.len == 0 && !(is_whole && type->pattern[0] == '{')
               ? tm_detail_arg_null(detail, key)
               : tm_detail_arg_text(detail, key, value.data, value.len);
}

/* Puts the dimensions that TYPE's pattern finds in NAME. */
static enum tm_status put_named(const struct tm_column_type *type, struct tm_text name, struct tm_buf *detail)
{
    const char *pattern = type->pattern;
    size_t at = pattern ? strcspn(pattern, "{") : 0;
    enum tm_status st = TM_OK;
    if (pattern == NULL || name.data == NULL || name.len < at)
        return TM_OK;
    for (pattern += at; st == TM_OK && *pattern == '{'; pattern += strcspn(pattern, "{")) {
        const struct tm_text key = tm_text_at(pattern + 1, strcspn(pattern, "}") - 1);
        pattern += key.len + 2;
        const size_t len = value_len(name.data + at, name.len - at, pattern);
        st = put_value(type, key, (struct tm_text){name.data + at, len}, detail);
        at += len + strcspn(pattern, "{");
        if (at > name.len)
            at = name.len;
    }
    return st;
}

/* Puts what distinguishes TRACK from others of its type: parts of its name, or of a nameless track its number. */
static enum tm_status put_identity(const struct tm_tracks *tracks, const struct tm_track *track,
                                   const struct tm_column_type *type, struct tm_buf *detail)
{
    struct tm_text name = tm_tracks_text(tracks, track->name);
    char number[24];
    if (name.data == NULL && track->type >= TM_TRACK_TYPE_KERNEL)
        name = tm_text_at(number, (size_t)snprintf(number, sizeof number, "%" PRIu64, track->number));
    return put_named(type, name, detail);
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
                                      : put_identity(tracks, track, type, detail);
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
