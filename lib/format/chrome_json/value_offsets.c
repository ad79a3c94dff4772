/* Records the place of an object's text in its file, and in the text the offsets of the values that a JSON output may
 * change. */
#include "format/chrome_json/internal.h"

#include "stream/json_ref.h"

enum { LEAVE_MIN = 64 /* bytes; shorter texts are not left in the file */ };

/* Inserts VALUE into the offsets, which are sorted. */
static void add_offset(struct tm_json_ref *ref, const uint8_t *raw, const struct tm_json_value *value,
                       enum tm_json_value_kind of)
{
    size_t quote = value->type == TM_JSON_STRING;
    struct tm_json_value_offset offset = {(uint32_t)(value->data - quote - raw), (uint32_t)(value->len + 2 * quote), of,
                                          quote != 0};
    uint32_t i = ref->offset_count++;
    for (; i > 0 && ref->offsets[i - 1].at > offset.at; i--)
        ref->offsets[i] = ref->offsets[i - 1];
    ref->offsets[i] = offset;
}

static void find_offsets(const struct tm_json_event *json, struct tm_json_ref *ref)
{
    static const uint8_t kinds[TM_JF_COUNT] = {[TM_JF_TS] = TM_JSON_VALUE_TS,
                                               [TM_JF_PID] = TM_JSON_VALUE_PID,
                                               [TM_JF_ID] = TM_JSON_VALUE_ID,
                                               [TM_JF_BIND_ID] = TM_JSON_VALUE_BIND_ID,
                                               [TM_JF_ID2] = TM_JSON_VALUE_ID2};
    uint32_t left = json->fields & (1u << TM_JF_TS | 1u << TM_JF_PID | 1u << TM_JF_ID | 1u << TM_JF_BIND_ID |
                                    1u << TM_JF_ID2);
    for (; left; left &= left - 1) {
        unsigned field = tm_trailing_zeros(left);
        const struct tm_json_value *v = &json->value[field];
        if (field == TM_JF_ID2 ? v->type == TM_JSON_OBJECT : tm_json_is_scalar(v))
            add_offset(ref, json->raw, v, (enum tm_json_value_kind)kinds[field]);
    }
}

enum tm_status tm_json_row_builder_ref(struct tm_json_row_builder *w)
{
    const struct tm_event_sink *sink = w->rows->sink;
    struct tm_event *e = &w->event;
    struct tm_json_ref ref;
    ref.is_elsewhere = (w->rows->has_source || w->rows->text_file) && e->raw_bytes >= LEAVE_MIN &&
                       !(e->flags & TM_EVENT_DEFINITION);
    ref.has_offsets = !sink->want_json_detail && !w->json->repeated;
    ref.offset_count = 0;
    if (!tm_raw_choice_has(&sink->raw, TM_RAW_JSON) || !(ref.is_elsewhere || ref.has_offsets))
        return TM_OK;
    if (ref.has_offsets)
        find_offsets(w->json, &ref);
    if (ref.is_elsewhere) {
        ref.bytes = e->raw_bytes;
        ref.offset = w->rows->text_at;
        ref.before = w->rows->counts_text ? ref.offset - w->rows->text_end : 0;
        w->rows->text_end = ref.offset + ref.bytes;
        ref.checksum = tm_json_ref_checksum(e->raw, e->raw_bytes);
        if (!w->rows->has_source && tm_text_file_add(w->rows->text_file, e->raw, e->raw_bytes, &ref.offset, w->err) < 0)
            return w->err->status;
        e->raw_bytes = 0;
    }
    return tm_json_ref_put(&ref, &w->rows->detail) == TM_OK ? TM_OK : tm_error_nomem(w->err);
}
