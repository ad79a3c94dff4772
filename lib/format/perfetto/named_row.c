#include "format/perfetto/named_row.h"

#include "stream/detail_fields.h"

enum tm_status tm_proto_named_row(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                  struct tm_event *row, struct tm_error *err)
{
    size_t mark;
    struct tm_buf *detail = &rows->detail;
    row->flags |= TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK;
    row->track = tm_named_track_number(named->type, named->second, named->instance);
    enum tm_status st = tm_pb_begin(detail, TM_DETAIL_TRACK, &mark);
    if (st == TM_OK && (rows->key.len || named->has_name))
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_NAME, rows->key.data, rows->key.len);
    if (st == TM_OK)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_NAMED_TRACK, named->type);
    if (st == TM_OK && named->tid)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_TID, tm_zigzag(named->tid));
    if (st == TM_OK && named->gpu)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_GPU, named->gpu);
    if (st == TM_OK && rows->text.len)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_DIMENSIONS, rows->text.data, rows->text.len);
    if (st == TM_OK)
        st = tm_pb_end(detail, mark);
    rows->key.len = rows->text.len = 0;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}
