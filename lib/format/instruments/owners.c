/* The thread and process of a row, defined at their first row. */
#include "format/instruments/internal.h"

#include "base/bytes.h"
#include "base/pb.h"
#include "stream/detail_fields.h"
#include "stream/task_description.h"

/* A record of a thread or process. */
struct owner {
    bool is_defined, has_number;
    int64_t number;
    uint64_t process;
};

static enum tm_status get_owner(struct tm_instruments *x, uint64_t place, struct owner *owner)
{
    tm_buf_clear(&x->record);
    enum tm_status st = tm_instruments_refs_get(&x->refs, place, &x->record, x->err);
    const uint8_t *r = x->record.data;
    if (st == TM_OK)
        *owner = (struct owner){r[0] != 0, r[1] != 0, (int64_t)tm_get_le64(r + TM_OWNER_NUMBER),
                                tm_get_le64(r + TM_OWNER_PROCESS)};
    return st;
}

/* Adds the definition of the thread or process whose record is at PLACE and in x->record. Its time is that of SOURCE,
 * because several threads can have one tid. */
static enum tm_status define(struct tm_instruments *x, uint64_t place, bool is_thread, const struct tm_event *source)
{
    struct tm_event e = {.kind = is_thread ? TM_KIND_THREAD : TM_KIND_PROCESS, .time_ns = source->time_ns,
                         .pid = source->pid};
    const struct tm_buf *r = &x->record;
    size_t mark;
    struct tm_buf *d = &x->detail;
    e.tid = is_thread ? source->tid : 0;
    e.flags = TM_EVENT_DEFINITION | TM_EVENT_FIRST_USE | (source->flags & TM_EVENT_HAS_PID) |
              (is_thread ? (uint32_t)TM_EVENT_HAS_TID : 0);
    tm_buf_clear(d);
    bool good = tm_pb_begin(d, is_thread ? TM_DETAIL_THREAD : TM_DETAIL_PROCESS, &mark) == TM_OK;
    good = good && tm_task_description_numbers(d, &e) == TM_OK;
    if (good && r->len > TM_OWNER_NAME)
        good = tm_pb_put_bytes(
                   d, is_thread ? (uint32_t)TM_THREAD_DESCRIPTION_NAME : (uint32_t)TM_PROCESS_DESCRIPTION_NAME,
                   r->data + TM_OWNER_NAME, r->len - TM_OWNER_NAME) == TM_OK;
    if (good && !is_thread)
        good = tm_pb_put_varint(d, TM_PROCESS_DESCRIPTION_NAME_PRIORITY, TM_PROCESS_NAME_KIND) == TM_OK;
    if (!good || tm_pb_end(d, mark) != TM_OK)
        return tm_error_nomem(x->err);
    e.detail = d->data;
    e.detail_bytes = (uint32_t)d->len;
    enum tm_status st = tm_instruments_refs_mark(&x->refs, place, 1, x->err);
    return st < 0 ? st : tm_event_sink_add(x->context.sink, &e, x->err);
}

enum tm_status tm_instruments_thread_of(struct tm_instruments *x, struct tm_event *event)
{
    struct owner thread = {0}, process = {0};
    uint64_t process_place;
    enum tm_status st;
    if (x->row.thread == 0)
        return TM_END;
    if ((st = get_owner(x, x->row.thread, &thread)) < 0 || !thread.has_number)
        return st < 0 ? st : TM_END;
    event->flags |= TM_EVENT_HAS_TID;
    event->tid = thread.number;
    process_place = thread.process ? thread.process : x->row.process;
    if (process_place && (st = get_owner(x, process_place, &process)) < 0)
        return st;
    if (process.has_number) {
        event->flags |= TM_EVENT_HAS_PID;
        event->pid = process.number;
        if (!process.is_defined && (st = define(x, process_place, false, event)) < 0)
            return st;
    }
    if (thread.is_defined)
        return TM_OK;
    st = get_owner(x, x->row.thread, &thread);
    return st < 0 ? st : define(x, x->row.thread, true, event);
}
