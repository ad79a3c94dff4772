/* Flows of merged.json as bind_ids with a direction. A proto says of an event only that it belongs to a flow, and
 * perhaps that the flow ends with it. Readers of JSON need to know that a flow starts, and never forget an id. So the
 * first event of a flow starts it, and an id that is used after its flow has ended becomes another.
 *
 * A slice has one bind_id. Its other flows are events (s, t, f) at its begin, which readers bind to the innermost slice
 * there; so they need a slice on a thread. Readers never take a bind_id and the id of an event for one flow: a flow
 * stays what it was when it started. If two flows with bind_ids meet, one goes on as events: it starts again at the
 * last slice that it had.
 *
 * What is settled of a slice stands before the fields of its Detail: the field SETTLED and a bind, with the number of
 * the flow, then for each flow event OTHER and a bind. */
#include "base/hash.h"
#include "base/pb.h"
#include "base/table.h"
#include "emit/chrome_json/writer.h"
#include "stream/detail_fields.h"

enum { FLOWS_MAX = 1 << 20 }; /* after so many all are forgotten */
enum { OTHER = 2030, SETTLED = 2040 }; /* no fields of a Detail */

/* What is known of a flow of a proto. */
struct tm_json_flow {
    uint64_t event;      /* the number of the event that was settled last; 0: none */
    uint32_t generation; /* how often it started again */
    bool has_ended;      /* or has not started */
    bool is_events;      /* it is made of flow events, not of bind_ids */
    bool has_place;      /* the slice of that event is on a thread: this one */
    int64_t ts_ns, pid, tid;
};

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

static bool is_of_proto(uint32_t field)
{
    return field == TM_DETAIL_FLOW_IDS || field == TM_DETAIL_TERMINATING_FLOW_IDS;
}

/* Finds the first flow of DETAIL, and *REST of it after that. False: it has no flow. */
static bool find_flow(struct tm_text detail, struct tm_pb_field *flow, struct tm_pb *rest)
{
    *rest = tm_pb_of(detail.data, detail.len);
    while (tm_pb_next(rest, flow) == TM_OK)
        if (flow->type == TM_PB_I64 && (bind_of(flow->id) != TM_JSON_BIND_NONE || flow->id == SETTLED))
            return true;
    return false;
}

/* Finds the next flow of a proto. False: there is none. */
static bool next_of_proto(struct tm_pb *pb, struct tm_pb_field *flow)
{
    while (tm_pb_next(pb, flow) == TM_OK)
        if (flow->type == TM_PB_I64 && is_of_proto(flow->id))
            return true;
    return false;
}

/* A flow of a proto, as an event has it. */
struct flow {
    uint32_t file, field;
    uint64_t key; /* its number, as long as it has not ended */
    struct tm_json_flow *known;
};

/* Finds the flow of FIELD, of FILE, which becomes known if it was not. FLOW is valid until the next call. TM_OK or
 * TM_E_SYSTEM. */
static enum tm_status know(struct tm_json_writer *w, uint32_t file, const struct tm_pb_field *field, struct flow *flow)
{
    uint32_t at;
    *flow = (struct flow){.file = file, .field = field->id, .key = field->value};
    enum tm_status st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &flow->key, NULL);
    if (st < 0)
        return st;
    if (tm_map_find(&w->flows, flow->key, &at)) {
        flow->known = &w->known[at];
        return TM_OK;
    }
    if (w->known_count == FLOWS_MAX) {
        tm_map_clear(&w->flows);
        w->known_count = 0;
    }
    if (tm_array_grow(&w->known, &w->known_cap, w->known_count, sizeof *w->known, NULL) < 0 ||
        tm_map_set(&w->flows, flow->key, w->known_count) < 0)
        return TM_E_SYSTEM;
    flow->known = &w->known[w->known_count++];
    *flow->known = (struct tm_json_flow){.has_ended = true};
    return TM_OK;
}

/* Settles what an event is in FLOW; AS_EVENT: in flow events, else by a bind_id. Returns how a bind_id expresses it. */
static enum tm_json_bind settle(struct tm_json_writer *w, const struct flow *flow, bool as_event)
{
    struct tm_json_flow *known = flow->known;
    enum tm_json_bind bind = bind_of(flow->field);
    const bool is_end = bind == TM_JSON_BIND_IN, starts = known->has_ended || known->is_events != as_event;
    if (starts) /* an end without a start is left out */
        bind = is_end ? TM_JSON_BIND_NONE : TM_JSON_BIND_OUT;
    known->generation += starts && known->event > 0;
    known->has_ended = is_end;
    known->is_events = as_event;
    known->has_place = false;
    known->event = w->flow_count;
    return bind;
}

/* Sets *NUMBER to that of FLOW, settled. */
static enum tm_status number_of(struct tm_json_writer *w, const struct flow *flow, uint64_t *number)
{
    *number = flow->key;
    if (flow->known->generation == 0)
        return TM_OK;
    *number = tm_hash_u64(flow->key) + flow->known->generation;
    return tm_json_writer_renumber(w, flow->file, TM_JSON_ID_OF_FLOW, number, NULL);
}

/* Finds the flow of DETAIL, of an event of FILE, that becomes the bind_id: one that has a bind_id already, else one
 * that starts. HAS_OTHERS: flows that are events go on as such. CHOSEN->field is 0 if there is none. TM_OK or
 * TM_E_SYSTEM. */
static enum tm_status choose(struct tm_json_writer *w, uint32_t file, struct tm_text detail, bool has_others,
                             struct flow *chosen)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field field, best = {0};
    struct flow flow;
    enum tm_status st = TM_OK;
    bool goes_on = false;
    while (st == TM_OK && !goes_on && next_of_proto(&pb, &field) && (st = know(w, file, &field, &flow)) == TM_OK) {
        const struct tm_json_flow *known = flow.known;
        const bool starts = known->has_ended ? field.id == TM_DETAIL_FLOW_IDS : known->is_events && !has_others;
        goes_on = !known->has_ended && !known->is_events;
        if (goes_on || (starts && best.id == 0))
            best = field;
    }
    *chosen = (struct flow){.field = 0};
    return st < 0 || best.id == 0 ? st : know(w, file, &best, chosen);
}

/* Puts FIELD and BIND with NUMBER into the detail that is being settled. TM_OK or TM_E_SYSTEM. */
static enum tm_status put_settled(struct tm_json_writer *w, uint32_t field, enum tm_json_bind bind, uint64_t number)
{
    return tm_pb_put_i64(&w->begun, field + (uint32_t)bind, number);
}

/* Settles the flow of DETAIL, of an event of FILE, that becomes the bind_id. TM_OK or TM_E_SYSTEM. */
static enum tm_status settle_one(struct tm_json_writer *w, uint32_t file, struct tm_text detail, bool has_others)
{
    struct flow flow;
    uint64_t number;
    enum tm_status st = choose(w, file, detail, has_others, &flow);
    if (st < 0 || flow.field == 0)
        return st < 0 ? st : put_settled(w, SETTLED, TM_JSON_BIND_NONE, 0);
    const enum tm_json_bind bind = settle(w, &flow, false);
    st = number_of(w, &flow, &number);
    return st < 0 ? st : put_settled(w, SETTLED, bind, number);
}

/* Sets *EVENT to what a slice at that place, time, process and thread, is in flow NUMBER. */
static void draft_event(enum tm_json_bind bind, uint64_t number, struct tm_json_event_draft *event)
{
    static const char phases[] = {[TM_JSON_BIND_OUT] = 's', [TM_JSON_BIND_STEP] = 't', [TM_JSON_BIND_IN] = 'f'};
    event->form.phase = phases[bind];
    event->form.id = TM_JSON_ID_GLOBAL;
    event->form.binds_enclosing = bind == TM_JSON_BIND_IN;
    event->id = number;
    event->category = event->name = tm_text_str("flow");
}

/* Writes the start of flow NUMBER at the place of FLOW, before it goes on as events. */
static enum tm_status start_again(struct tm_json_writer *w, const struct tm_json_flow *flow, uint64_t number,
                                  struct tm_error *err)
{
    struct tm_json_event_draft event = {.ts_ns = flow->ts_ns, .pid = flow->pid, .tid = flow->tid};
    draft_event(TM_JSON_BIND_OUT, number, &event);
    return tm_json_writer_put(w, &event, err);
}

/* Settles FLOW, which is not the bind_id of its slice, as a flow event. */
static enum tm_status settle_other(struct tm_json_writer *w, const struct flow *flow, struct tm_error *err)
{
    const struct tm_json_flow before = *flow->known;
    const bool has_bind_id = !before.has_ended && !before.is_events;
    uint64_t number;
    if (has_bind_id && !before.has_place) /* it stays with its bind_id, and leaves out this slice */
        return TM_OK;
    enum tm_json_bind bind = settle(w, flow, true);
    enum tm_status st = number_of(w, flow, &number) < 0 ? tm_error_nomem(err) : TM_OK;
    if (st == TM_OK && has_bind_id) {
        bind = flow->known->has_ended ? TM_JSON_BIND_IN : TM_JSON_BIND_STEP;
        st = start_again(w, &before, number, err);
    }
    if (st < 0 || bind == TM_JSON_BIND_NONE)
        return st;
    return put_settled(w, OTHER, bind, number) < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Settles the flows of *DETAIL, which has one of a proto. HAS_OTHERS: those that are not the bind_id, too. */
static enum tm_status settle_all(struct tm_json_writer *w, uint32_t file, struct tm_text *detail, bool has_others,
                                 struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail->data, detail->len);
    struct tm_pb_field field;
    struct flow flow;
    enum tm_status st = TM_OK;
    w->flow_count++;
    tm_buf_clear(&w->begun);
    if (settle_one(w, file, *detail, has_others) < 0)
        return tm_error_nomem(err);
    while (st == TM_OK && has_others && next_of_proto(&pb, &field)) {
        if (know(w, file, &field, &flow) < 0)
            return tm_error_nomem(err);
        if (flow.known->event != w->flow_count)
            st = settle_other(w, &flow, err);
    }
    if (st == TM_OK && tm_buf_add(&w->begun, detail->data, detail->len) < 0)
        st = tm_error_nomem(err);
    *detail = tm_text_at(w->begun.data, w->begun.len);
    return st;
}

enum tm_status tm_json_writer_begin_flows(struct tm_json_writer *w, uint32_t file, struct tm_text *detail,
                                          struct tm_error *err)
{
    struct tm_pb_field flow;
    struct tm_pb rest;
    return find_flow(*detail, &flow, &rest) && is_of_proto(flow.id) ? settle_all(w, file, detail, true, err) : TM_OK;
}

enum tm_status tm_json_writer_end_flow(struct tm_json_writer *w, uint32_t file, struct tm_text begun,
                                       struct tm_text *detail, struct tm_error *err)
{
    struct tm_pb_field flow;
    struct tm_pb rest;
    if (find_flow(begun, &flow, &rest) || !find_flow(*detail, &flow, &rest) || !is_of_proto(flow.id))
        return TM_OK;
    return settle_all(w, file, detail, false, err);
}

enum tm_status tm_json_writer_place_flows(struct tm_json_writer *w, uint32_t file, struct tm_text detail,
                                          const struct tm_json_event_draft *slice, struct tm_error *err)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    struct tm_pb_field field;
    struct flow flow;
    while (next_of_proto(&pb, &field)) {
        if (know(w, file, &field, &flow) < 0)
            return tm_error_nomem(err);
        if (flow.known->event != w->flow_count)
            continue;
        flow.known->has_place = true;
        flow.known->ts_ns = slice->ts_ns;
        flow.known->pid = slice->pid;
        flow.known->tid = slice->tid;
    }
    return TM_OK;
}

/* Settles the flows of *DETAIL, which has one of a proto and is of DRAFT. */
static enum tm_status settle_draft(struct tm_json_writer *w, uint32_t file, struct tm_text *detail,
                                   struct tm_json_event_draft *draft, struct tm_error *err)
{
    const bool is_on_thread = draft->form.id == TM_JSON_ID_NONE && draft->form.phase != 'E';
    const struct tm_text recorded = *detail;
    enum tm_status st = settle_all(w, file, detail, is_on_thread, err);
    return st == TM_OK && is_on_thread ? tm_json_writer_place_flows(w, file, recorded, draft, err) : st;
}

enum tm_status tm_json_writer_bind(struct tm_json_writer *w, uint32_t file, struct tm_json_event_draft *draft,
                                   struct tm_error *err)
{
    struct tm_pb_field flow, other;
    struct tm_pb rest;
    bool has_flow = find_flow(draft->detail, &flow, &rest);
    struct tm_text *detail = has_flow ? &draft->detail : &draft->more_detail;
    enum tm_status st = TM_OK;
    draft->form.bind = TM_JSON_BIND_NONE;
    if (!has_flow && !find_flow(*detail, &flow, &rest))
        return TM_OK;
    if (is_of_proto(flow.id)) {
        if ((st = settle_draft(w, file, detail, draft, err)) < 0)
            return st;
        (void)find_flow(*detail, &flow, &rest);
    }
    draft->bind_id = flow.value;
    draft->form.bind = (uint8_t)bind_of(flow.id);
    if (flow.id < SETTLED)
        return tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &draft->bind_id, err);
    draft->flows = rest;
    draft->has_flow_events = tm_pb_next(&rest, &other) == TM_OK && other.id > OTHER && other.id < SETTLED;
    return st;
}

bool tm_json_writer_next_flow(struct tm_json_event_draft *slice, struct tm_json_event_draft *event)
{
    struct tm_pb_field flow;
    if (!slice->has_flow_events || tm_pb_next(&slice->flows, &flow) != TM_OK || flow.id <= OTHER || flow.id >= SETTLED)
        return false;
    *event = (struct tm_json_event_draft){.ts_ns = slice->ts_ns, .pid = slice->pid, .tid = slice->tid};
    draft_event((enum tm_json_bind)(flow.id - OTHER), flow.value, event);
    return true;
}

enum tm_status tm_json_writer_put_slice(struct tm_json_writer *w, struct tm_json_event_draft *slice,
                                        struct tm_error *err)
{
    struct tm_json_event_draft event;
    enum tm_status st = tm_json_writer_put(w, slice, err);
    while (st == TM_OK && tm_json_writer_next_flow(slice, &event))
        st = tm_json_writer_put(w, &event, err);
    return st;
}
