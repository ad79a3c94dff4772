/* Adds args to slices that the reference importer adds to them: ids and phases of legacy events, cookies of markers. */
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

enum tm_status tm_model_added_args(struct tm_model_output *out, struct tm_model_event *ev, struct tm_event *with,
                                   struct tm_error *err)
{
    const struct tm_event *e = ev->e;
    bool has_cookie = tm_event_has_cookie(e);
    if (!out->options.adds_args || !(has_cookie || is_legacy(e)))
        return TM_OK;
    tm_buf_clear(&out->args);
    enum tm_status st = e->detail_bytes ? tm_buf_add(&out->args, e->detail, e->detail_bytes) : TM_OK;
    if (st == TM_OK)
        st = has_cookie ? tm_detail_arg_int(&out->args, "cookie", (int64_t)e->track) : add_legacy(&out->args, e);
    if (st < 0)
        return tm_error_nomem(err);
    *with = *e;
    with->detail = out->args.data;
    with->detail_bytes = (uint32_t)out->args.len;
    ev->e = with;
    return TM_OK;
}
