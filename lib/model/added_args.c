/* Adds args that the reference importer adds: to slices ids and phases of legacy events and cookies of markers, to
 * readings of power rails the time of the packet. */
#include "model/internal.h"

#include "perfetto/named_tracks.h"
#include "stream/detail_arg.h"

#include <stdlib.h>

/* True if E is a legacy event of a packet that gets more args. */
static bool is_legacy(const struct tm_event *e)
{
    const uint32_t id = e->flags & TM_EVENT_ASYNC ? (uint32_t)TM_DETAIL_ID : (uint32_t)TM_DETAIL_LEGACY_PHASE;
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    if (tm_event_raw(e->flags) != TM_RAW_PACKET)
        return false;
    while (tm_pb_next(&pb, &f) == TM_OK)
        if (f.id == id)
            return id == TM_DETAIL_ID || f.value == 'R';
    return false;
}

/* Adds the id, which the detail of E has in hexadecimal digits, and the phase. */
static enum tm_status add_legacy(struct tm_buf *args, const struct tm_event *e)
{
    struct tm_pb pb = tm_pb_of(e->detail, e->detail_bytes);
    struct tm_pb_field f;
    enum tm_status st = TM_OK;
    char text[32];
    while (st == TM_OK && tm_pb_next(&pb, &f) == TM_OK) {
        if (f.id == TM_DETAIL_ID && f.type == TM_PB_LEN && f.len < sizeof text) {
            memcpy(text, f.data, f.len);
            text[f.len] = '\0';
            st = tm_detail_arg_int(args, "legacy_trace_source_id", (int64_t)strtoull(text, NULL, 16));
        } else if (f.id == TM_DETAIL_LEGACY_PHASE && f.type == TM_PB_VARINT && f.value != 'F') {
            text[0] = (char)f.value;
            st = tm_detail_arg_text(args, "legacy_event.phase", text, 1);
        }
    }
    return st;
}

/* Sets out->args to the detail of E, so that more args can follow. */
static enum tm_status begin_args(struct tm_model_output *out, const struct tm_event *e)
{
    tm_buf_clear(&out->args);
    return e->detail_bytes ? tm_buf_add(&out->args, e->detail, e->detail_bytes) : TM_OK;
}

/* Gives EV the event *WITH, which has out->args as its detail. */
static void use_args(const struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with)
{
    *with = *ev->e;
    with->detail = out->args.data;
    with->detail_bytes = (uint32_t)out->args.len;
    ev->e = with;
}

enum tm_status tm_model_rail_args(struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with,
                                  struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    int64_t packet_ns = e->time_ns; /* of a row that follows its packet */
    const bool has_own_time = !(e->flags & TM_EVENT_DERIVED);
    if (!out->options.adds_args || (has_own_time && !tm_model_inner_time(e->detail, e->detail_bytes, &packet_ns)))
        return TM_OK;
    if (begin_args(out, e) < 0 || tm_detail_arg_uint(&out->args, "packet_ts", (uint64_t)packet_ns) < 0)
        return tm_error_nomem(err);
    use_args(out, ev, with);
    return TM_OK;
}

enum tm_status tm_model_added_args(struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with,
                                   struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool has_cookie = tm_event_has_cookie(e);
    if (!out->options.adds_args || !(has_cookie || is_legacy(e)))
        return TM_OK;
    enum tm_status st = begin_args(out, e);
    if (st == TM_OK)
        st = has_cookie ? tm_detail_arg_int(&out->args, "cookie", (int64_t)e->track) : add_legacy(&out->args, e);
    if (st < 0)
        return tm_error_nomem(err);
    use_args(out, ev, with);
    return TM_OK;
}
