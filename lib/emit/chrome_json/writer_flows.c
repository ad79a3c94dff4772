/* Flows of merged.json as bind_ids with a direction. A proto says of an event only that it belongs to a flow, and
 * perhaps that the flow ends with it. Readers of JSON need to know that a flow starts, and never forget an id. So the
 * first event of a flow starts it, and an id that is used after its flow has ended becomes another. */
#include "base/hash.h"
#include "base/pb.h"
#include "emit/chrome_json/writer.h"
#include "stream/detail_fields.h"

enum { FLOWS_MAX = 1 << 20 };       /* after so many all are forgotten */
enum { ENDED = 1, GENERATION = 2 }; /* bits of what is known of a flow; the rest counts its ends */
enum { SETTLED = 2040 /* no field of a Detail */ };

/* Returns how an event with a bind_id expresses FIELD of a Detail; NONE: the field is not a flow. */
static enum tm_json_bind bind_of(uint32_t field)
{
    switch (field) {
    case TM_DETAIL_BIND_OUT:
    case SETTLED + TM_JSON_BIND_OUT: return TM_JSON_BIND_OUT;
    case TM_DETAIL_FLOW_IDS: /* but the first event of the flow starts it */
    case TM_DETAIL_BIND_STEP:
    case SETTLED + TM_JSON_BIND_STEP: return TM_JSON_BIND_STEP;
    case TM_DETAIL_TERMINATING_FLOW_IDS:
    case TM_DETAIL_BIND_IN:
    case SETTLED + TM_JSON_BIND_IN: return TM_JSON_BIND_IN;
    default: return TM_JSON_BIND_NONE;
    }
}

/* Finds the first flow of DETAIL. False: it has no flow. */
static bool find_flow(struct tm_text detail, struct tm_pb_field *flow)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    while (tm_pb_next(&pb, flow) == TM_OK)
        if (flow->type == TM_PB_I64 && (bind_of(flow->id) != TM_JSON_BIND_NONE || flow->id == SETTLED))
            return true;
    return false;
}

static bool is_of_proto(uint32_t field)
{
    return field == TM_DETAIL_FLOW_IDS || field == TM_DETAIL_TERMINATING_FLOW_IDS;
}

/* Settles what an event of FILE is in its FLOW of a proto. Sets *NUMBER and *BIND. */
static enum tm_status settle(struct tm_json_writer *w, uint32_t file, const struct tm_pb_field *flow, uint64_t *number,
                             enum tm_json_bind *bind)
{
    uint64_t key = flow->value;
    uint32_t was = 0, state;
    enum tm_status st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &key, NULL);
    if (st < 0)
        return st;
    bool is_known = tm_map_find(&w->flows, key, &was), is_new = !is_known || was & ENDED;
    state = is_known && was & ENDED ? was - ENDED + GENERATION : was;
    *number = key;
    *bind = bind_of(flow->id);
    if (state >= GENERATION) {
        *number = tm_hash_u64(key) + state / GENERATION;
        st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, number, NULL);
    }
    if (*bind == TM_JSON_BIND_IN)
        state |= ENDED;
    if (is_new) /* an end without a start is left out */
        *bind = *bind == TM_JSON_BIND_IN ? TM_JSON_BIND_NONE : TM_JSON_BIND_OUT;
    if (!is_known && w->flows.count >= FLOWS_MAX)
        tm_map_clear(&w->flows);
    return st < 0 || (is_known && state == was) ? st : tm_map_set(&w->flows, key, state);
}

enum tm_status tm_json_writer_begin_flow(struct tm_json_writer *w, uint32_t file, struct tm_text *detail,
                                         struct tm_error *err)
{
    struct tm_pb_field flow;
    enum tm_json_bind bind;
    uint64_t number;
    if (!find_flow(*detail, &flow) || !is_of_proto(flow.id))
        return TM_OK;
    tm_buf_clear(&w->begun);
    if (settle(w, file, &flow, &number, &bind) < 0 ||
        tm_pb_put_i64(&w->begun, SETTLED + (uint32_t)bind, number) < 0 ||
        tm_buf_add(&w->begun, detail->data, detail->len) < 0)
        return tm_error_nomem(err);
    *detail = tm_text_at(w->begun.data, w->begun.len);
    return TM_OK;
}

enum tm_status tm_json_writer_end_flow(struct tm_json_writer *w, uint32_t file, struct tm_text begun,
                                       struct tm_text *detail, struct tm_error *err)
{
    struct tm_pb_field flow;
    return find_flow(begun, &flow) ? TM_OK : tm_json_writer_begin_flow(w, file, detail, err);
}

enum tm_status tm_json_writer_bind(struct tm_json_writer *w, uint32_t file, struct tm_json_event_draft *draft,
                                   struct tm_error *err)
{
    struct tm_pb_field flow;
    enum tm_json_bind bind;
    draft->form.bind = TM_JSON_BIND_NONE;
    if (!find_flow(draft->detail, &flow) && !find_flow(draft->more_detail, &flow))
        return TM_OK;
    draft->bind_id = flow.value;
    bind = bind_of(flow.id);
    if (is_of_proto(flow.id)) {
        if (settle(w, file, &flow, &draft->bind_id, &bind) < 0)
            return tm_error_nomem(err);
    } else if (flow.id < SETTLED) {
        enum tm_status st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &draft->bind_id, err);
        if (st < 0)
            return st;
    }
    draft->form.bind = (uint8_t)bind;
    return TM_OK;
}
