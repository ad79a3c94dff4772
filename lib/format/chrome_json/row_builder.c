/* Steps that all kinds of events share. */
#include "format/chrome_json/internal.h"

enum tm_status tm_json_row_builder_intern(struct tm_json_row_builder *w, const void *s, size_t len, uint32_t *string)
{
    return tm_event_sink_string(w->rows->sink, tm_text_at(s, len), &w->rows->detail, string, w->err);
}

enum tm_status tm_json_row_builder_string(struct tm_json_row_builder *w, enum tm_json_field field, uint32_t *string)
{
    const struct tm_json_value *v = tm_json_event_of(w->json, field, TM_JSON_STRING);
    const uint8_t *s;
    size_t len;
    uint64_t id;
    *string = 0;
    if (v == NULL || v->len == 0)
        return TM_OK;
    if (tm_json_event_converted(w->json, field, &id)) {
        *string = (uint32_t)id;
        return TM_OK;
    }
    if (!tm_json_text(v, &w->rows->scratch, &s, &len))
        return tm_error_nomem(w->err);
    enum tm_status st = tm_json_row_builder_intern(w, s, len, string);
    if (st == TM_OK && !(*string & TM_STRING_INLINE))
        tm_json_event_keep(w->json, field, *string);
    return st;
}

enum tm_status tm_json_row_builder_add(struct tm_json_row_builder *w)
{
    if (w->event.raw_bytes && tm_json_row_builder_ref(w) < 0)
        return w->err->status;
    bool is_fixed = !w->rows->has_complete && !(w->event.flags & (TM_EVENT_UNTIMED | TM_EVENT_DEFINITION));
    if (is_fixed && w->event.kind != TM_KIND_SLICE_COMPLETE)
        w->event.flags |= TM_EVENT_IN_ORDER;
    w->rows->has_complete |= w->event.kind == TM_KIND_SLICE_COMPLETE;
    w->event.detail = w->rows->detail.data;
    w->event.detail_bytes = (uint32_t)w->rows->detail.len;
    return tm_event_sink_add(w->rows->sink, &w->event, w->err);
}

void tm_json_row_builder_default(struct tm_json_row_builder *w)
{
    w->event.kind = TM_KIND_PACKET;
    w->event.flags &= TM_EVENT_HAS_PID | TM_EVENT_HAS_TID | tm_event_raw_flags(TM_RAW_JSON);
    w->event.flags |= w->event.flags & TM_EVENT_HAS_TID ? TM_EVENT_HAS_PID : 0u;
    w->event.category = 0;
    w->event.name = 0;
    tm_buf_clear(&w->rows->detail);
}
