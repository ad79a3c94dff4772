/* Where an object's text has the values that a JSON output may change. */
#include "format/json_work.h"

#include "stream/json_ref.h"

/* VALUE among the spots, which stay in order. */
static void add_spot(struct tm_json_ref *ref, const uint8_t *raw, const struct tm_json_value *value,
                     enum tm_json_spot_of of)
{
    size_t quote = value->type == TM_JSON_STRING;
    struct tm_json_spot spot = {(uint32_t)(value->data - quote - raw), (uint32_t)(value->len + 2 * quote), of, quote != 0};
    uint32_t i = ref->spot_count++;
    for (; i > 0 && ref->spots[i - 1].at > spot.at; i--)
        ref->spots[i] = ref->spots[i - 1];
    ref->spots[i] = spot;
}

enum tm_status tm_json_work_ref(struct tm_json_work *w)
{
    static const struct {
        enum tm_json_field field;
        enum tm_json_spot_of of;
    } fields[TM_JSON_SPOTS_MAX] = {{TM_JF_TS, TM_JSON_SPOT_TS},
                                   {TM_JF_PID, TM_JSON_SPOT_PID},
                                   {TM_JF_ID, TM_JSON_SPOT_ID},
                                   {TM_JF_BIND_ID, TM_JSON_SPOT_ID},
                                   {TM_JF_ID2, TM_JSON_SPOT_ID2}};
    struct tm_json_ref ref;
    if (w->rows->sink->want_json_detail || !w->rows->sink->want_raw || w->json->repeated)
        return TM_OK;
    ref.is_elsewhere = false;
    ref.has_spots = true;
    ref.spot_count = 0;
    for (int i = 0; i < TM_JSON_SPOTS_MAX; i++) {
        const struct tm_json_value *v = tm_json_event_get(w->json, fields[i].field);
        bool is_object = v && v->type == TM_JSON_OBJECT, is_scalar = v && (v->type == TM_JSON_NUMBER || v->type == TM_JSON_STRING);
        if (fields[i].of == TM_JSON_SPOT_ID2 ? is_object : is_scalar)
            add_spot(&ref, w->json->raw, v, fields[i].of);
    }
    return tm_json_ref_put(&ref, &w->rows->detail);
}
