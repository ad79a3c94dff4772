#include "model/track_source.h"

#include "base/pb.h"
#include "model/track_dimensions.h"
#include "stream/detail_arg.h"
#include "stream/detail_fields.h"

#include <string.h>

static enum tm_status put_word(struct tm_buf *detail, const char *key, const char *word)
{
    return tm_detail_arg_text(detail, key, word, strlen(word));
}

/* Appends the categories in MESSAGE, joined by commas, as one argument if there are any. */
static enum tm_status put_categories(struct tm_text message, struct tm_buf *detail)
{
    struct tm_pb pb = tm_pb_of(message.data, message.len);
    struct tm_pb_field f;
    struct tm_buf text = {0};
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id != TM_TRACK_DESCRIPTION_CATEGORIES || f.type != TM_PB_LEN)
            continue;
        st = text.len ? tm_buf_add_byte(&text, ',') : TM_OK;
        if (st == TM_OK)
            st = tm_buf_add(&text, f.data, f.len);
    }
    if (st == TM_OK && text.len)
        st = tm_detail_arg_text(detail, "category", text.data, text.len);
    tm_buf_release(&text);
    return st;
}

enum tm_status tm_track_source_described(struct tm_text message, struct tm_buf *detail)
{
    static const char *const orderings[] = {NULL, "lexicographic", "chronological", "explicit"};
    static const char *const counters[] = {NULL, "thread_time", "thread_instruction_count"};
    struct tm_pb pb = tm_pb_of(message.data, message.len);
    struct tm_pb_field f;
    enum tm_status st = put_categories(message, detail);
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_TRACK_DESCRIPTION_BUILTIN_COUNTER && f.value > 0 && f.value < sizeof counters / sizeof *counters)
            st = put_word(detail, "builtin_counter_type", counters[f.value]);
        else if (f.id == TM_TRACK_DESCRIPTION_Y_AXIS_SHARE_KEY && f.type == TM_PB_LEN)
            st = tm_detail_arg_text(detail, "y_axis_share_key", f.data, f.len);
        else if (f.id == TM_TRACK_DESCRIPTION_CHILD_ORDERING && f.value > 0 &&
                 f.value < sizeof orderings / sizeof *orderings)
            st = put_word(detail, "child_ordering", orderings[f.value]);
        else if (f.id == TM_TRACK_DESCRIPTION_SIBLING_ORDER_RANK)
            st = tm_detail_arg_int(detail, "sibling_order_rank", tm_unzigzag(f.value));
        else if (f.id == TM_TRACK_DESCRIPTION_DESCRIPTION && f.type == TM_PB_LEN)
            st = tm_detail_arg_text(detail, "description", f.data, f.len);
    }
    return st;
}

static enum tm_status put_descriptor(const struct tm_track *track, struct tm_text described, struct tm_buf *detail)
{
    enum tm_status st = put_word(detail, "source", "descriptor");
    if (st == TM_OK)
        st = tm_detail_arg_int(detail, "trace_id", (int64_t)track->source_uuid);
    if (st == TM_OK)
        st = tm_detail_arg_bool(detail, "is_root_in_scope", track->is_root);
    return st < 0 || described.len == 0 ? st : tm_buf_add(detail, described.data, described.len);
}

enum tm_status tm_track_source(const struct tm_tracks *tracks, const struct tm_track *track,
                               enum tm_input_type file_type, struct tm_buf *detail)
{
    const bool is_async = tm_track_is_async(track);
    const bool is_of_instants =
        track->type == TM_TRACK_TYPE_GLOBAL_INSTANTS || track->type == TM_TRACK_TYPE_PROCESS_INSTANTS;
    if (track->type == TM_TRACK_TYPE_DESCRIBED || track->type == TM_TRACK_TYPE_DESCRIBED_LANE)
        return put_descriptor(track, tm_tracks_text(tracks, track->source_args), detail);
    const struct tm_text stated = track->type == TM_TRACK_TYPE_NAMED ? tm_tracks_text(tracks, track->source_args)
                                                                     : (struct tm_text){0};
    if (stated.len)
        return tm_buf_add(detail, stated.data, stated.len);
    const bool is_like_chrome =
        file_type == TM_INPUT_JSON || file_type == TM_INPUT_PROTO || (is_async && file_type == TM_INPUT_FUCHSIA);
    if (!(is_async || is_of_instants) || !is_like_chrome)
        return TM_OK;
    enum tm_status st = put_word(detail, "source", "chrome");
    if (st < 0 || !is_async)
        return st;
    st = tm_detail_arg_bool(detail, "trace_id_is_process_scoped", track->type == TM_TRACK_TYPE_ASYNC_PROCESS);
    return st < 0 ? st : tm_track_arg(detail, "source_scope", tm_tracks_text(tracks, track->id_scope));
}
