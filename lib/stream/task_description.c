#include "stream/task_description.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

#include <stdbool.h>

enum tm_status tm_task_description_numbers(struct tm_buf *description, const struct tm_event *row)
{
    const bool is_thread = row->kind == TM_KIND_THREAD;
    const uint32_t pid = is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_PID : (uint32_t)TM_PROCESS_DESCRIPTION_PID;
    enum tm_status st = TM_OK;
    if (is_thread && row->flags & TM_EVENT_HAS_TID)
        st = tm_pb_put_varint(description, TM_THREAD_DESCRIPTION_TID, tm_zigzag(row->tid));
    if (st == TM_OK && row->flags & TM_EVENT_HAS_PID)
        st = tm_pb_put_varint(description, pid, tm_zigzag(row->pid));
    return st;
}

enum tm_status tm_task_description_put(struct tm_buf *detail, const struct tm_event *row, struct tm_text name)
{
    const bool is_thread = row->kind == TM_KIND_THREAD;
    const uint32_t field = is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_NAME : (uint32_t)TM_PROCESS_DESCRIPTION_NAME;
    size_t mark;
    enum tm_status st = tm_pb_begin(detail, is_thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS, &mark);
    if (st == TM_OK)
        st = tm_task_description_numbers(detail, row);
    if (st == TM_OK && name.data)
        st = tm_pb_put_bytes(detail, field, name.data, name.len);
    return st == TM_OK ? tm_pb_end(detail, mark) : st;
}
