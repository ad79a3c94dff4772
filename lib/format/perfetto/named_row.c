#include "format/perfetto/named_row.h"

#include "stream/detail_arg.h"
#include "stream/detail_fields.h"

#include <string.h>

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
    if (st == TM_OK && named->unit.len)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_UNIT, named->unit.data, named->unit.len);
    if (st == TM_OK && named->description.len)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_DESCRIPTION, named->description.data,
                             named->description.len);
    if (st == TM_OK && named->tid)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_TID, tm_zigzag(named->tid));
    if (st == TM_OK && named->gpu)
        st = tm_pb_put_varint(detail, TM_TRACK_DESCRIPTION_GPU, named->gpu);
    if (st == TM_OK && rows->text.len)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_DIMENSIONS, rows->text.data, rows->text.len);
    if (st == TM_OK && named->source.len)
        st = tm_pb_put_bytes(detail, TM_TRACK_DESCRIPTION_SOURCE, named->source.data, named->source.len);
    if (st == TM_OK)
        st = tm_pb_end(detail, mark);
    rows->key.len = rows->text.len = 0;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_proto_named_row_on(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                     const char *track, struct tm_event *row, struct tm_error *err)
{
    tm_buf_clear(&rows->key);
    tm_buf_clear(&rows->text);
    return tm_buf_add_str(&rows->key, track) < 0 ? tm_error_nomem(err) : tm_proto_named_row(rows, named, row, err);
}

enum tm_status tm_proto_named_dimension(struct tm_proto_rows *rows, const char *key, struct tm_text value,
                                        struct tm_error *err)
{
    tm_buf_clear(&rows->text);
    tm_buf_clear(&rows->key);
    enum tm_status st = tm_buf_add(&rows->key, key, strlen(key));
    if (st == TM_OK)
        st = value.data ? tm_detail_arg_bytes(&rows->text, &rows->key, TM_ARG_STRING, value.data, value.len)
                        : tm_detail_arg_number(&rows->text, &rows->key, TM_ARG_NULL, true);
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_proto_named_counter(struct tm_proto_rows *rows, const struct tm_proto_named_row *named,
                                      struct tm_text name, struct tm_event *row, struct tm_error *err)
{
    tm_buf_clear(&rows->key);
    if (tm_buf_add(&rows->key, name.data, name.len) != TM_OK)
        return tm_error_nomem(err);
    enum tm_status st = tm_proto_named_row(rows, named, row, err);
    row->flags &= ~(uint32_t)(TM_EVENT_ASYNC | TM_EVENT_HAS_TRACK); /* with a number it would belong to a GPU */
    row->track = 0;
    return st < 0 ? st : tm_proto_string(rows, name.data, name.len, &row->name, err);
}

enum tm_status tm_proto_gpu_memory_add(struct tm_proto_rows *rows, uint32_t gpu, struct tm_event *row,
                                       struct tm_error *err)
{
    static const char gpu_memory[] = "GPU Memory";
    const bool is_process = tm_event_scope(row->flags) == TM_SCOPE_PROCESS;
    const struct tm_proto_named_row named = {
        .type = is_process ? TM_NAMED_TRACK_PROCESS_GPU_MEMORY : TM_NAMED_TRACK_GPU_MEMORY, .gpu = gpu};
    tm_buf_clear(&rows->text);
    if (is_process && tm_detail_arg_int(&rows->text, "gpu", gpu) < 0)
        return tm_error_nomem(err);
    row->kind = TM_KIND_COUNTER;
    row->flags |= TM_EVENT_HAS_VALUE;
    enum tm_status st = tm_proto_named_counter(rows, &named, tm_text_at(gpu_memory, sizeof gpu_memory - 1), row, err);
    return st < 0 ? st : tm_proto_add(rows, row, err);
}
