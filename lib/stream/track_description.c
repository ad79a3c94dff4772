#include "stream/track_description.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum tm_status tm_track_description_add(struct tm_event_sink *sink, uint64_t uuid, struct tm_text name,
                                        struct tm_buf *detail, struct tm_error *err)
{
    struct tm_event row = {.kind = TM_KIND_TRACK, .track = uuid,
                           .flags = TM_EVENT_DEFINITION | TM_EVENT_UNTIMED | TM_EVENT_HAS_TRACK};
    size_t mark;
    tm_buf_clear(detail);
    if (tm_pb_begin(detail, TM_DETAIL_TRACK, &mark) != TM_OK ||
        tm_pb_put_i64(detail, TM_TRACK_DESCRIPTION_UUID, uuid) != TM_OK ||
        tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, name.data, name.len) != TM_OK ||
        tm_pb_end(detail, mark) != TM_OK)
        return tm_error_nomem(err);
    row.detail = detail->data;
    row.detail_bytes = (uint32_t)detail->len;
    return tm_event_sink_add(sink, &row, err);
}
