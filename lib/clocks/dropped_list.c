#include "clocks/dropped_list.h"

static bool is_same(const struct tm_dropped_group *a, const struct tm_dropped_group *b)
{
    return a->file == b->file && a->machine == b->machine && a->clock == b->clock && a->result == b->result;
}

enum tm_status tm_dropped_list_flush(struct tm_dropped_list *list, struct tm_error *err)
{
    Tracemerge__Dropped dropped = TRACEMERGE__DROPPED__INIT;
    if (list->count == 0)
        return TM_OK;
    dropped.file = list->group.file;
    dropped.machine = list->group.machine;
    dropped.clock = list->group.clock;
    dropped.reason = tm_bytes_str(tm_row_result_reason(list->group.result));
    dropped.position = list->positions;
    dropped.time_ns = list->times;
    dropped.trace_ns = list->trace_times;
    dropped.kind = list->kinds;
    dropped.name = list->names;
    dropped.is_definition = list->definitions;
    dropped.n_position = dropped.n_time_ns = dropped.n_kind = dropped.n_name = dropped.n_is_definition = list->count;
    dropped.n_trace_ns = list->group.result == TM_RESULT_NEGATIVE_TIME ? list->count : 0;
    dropped.has_texts = list->texts.len > 0;
    dropped.texts = tm_bytes(list->texts.data, list->texts.len);
    enum tm_status st = tm_stream_write_message(list->writer, TM_FRAME_DROPPED, &dropped.base, err);
    list->count = 0;
    tm_buf_clear(&list->texts);
    return st;
}

/* Adds the name of EVENT, whose detail is not kept. A name whose text is missing becomes none. */
static enum tm_status add_name(struct tm_dropped_list *list, const struct tm_event *event, uint32_t *name,
                               struct tm_error *err)
{
    uint32_t at = event->name & ~TM_STRING_INLINE;
    uint64_t len;
    *name = event->name;
    if (!(event->name & TM_STRING_INLINE))
        return TM_OK;
    *name = 0;
    if (at >= event->detail_bytes)
        return TM_OK;
    const uint8_t *end = event->detail + event->detail_bytes;
    const uint8_t *text = tm_varint_get(event->detail + at, end, &len);
    if (text == NULL || len > (uint64_t)(end - text))
        return TM_OK;
    *name = TM_STRING_INLINE | (uint32_t)list->texts.len;
    if (tm_buf_add(&list->texts, event->detail + at, (size_t)(text - event->detail) - at + (size_t)len) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

enum tm_status tm_dropped_list_add(struct tm_dropped_list *list, const struct tm_event *event,
                                   enum tm_row_result result, int64_t trace_ns, struct tm_error *err)
{
    const struct tm_dropped_group group = {event->file, event->machine, event->clock, result};
    enum tm_status st = TM_OK;
    if (list->count == TM_DROPPED_ROWS || list->texts.len >= TM_DROPPED_TEXT_BYTES || !is_same(&list->group, &group))
        st = tm_dropped_list_flush(list, err);
    list->group = group;
    uint32_t i = list->count;
    if (st == TM_OK)
        st = add_name(list, event, &list->names[i], err);
    if (st < 0)
        return st;
    list->positions[i] = event->position;
    list->times[i] = event->time_ns;
    list->trace_times[i] = trace_ns;
    list->kinds[i] = event->kind;
    list->definitions[i] = !tm_event_is_counted(event->flags);
    list->count++;
    return TM_OK;
}

void tm_dropped_list_release(struct tm_dropped_list *list)
{
    tm_buf_release(&list->texts);
}
