#include "emit/chrome_json/writer.h"

#include "base/pb.h"
#include "stream/detail_fields.h"

enum { FLOWS_MAX = 1 << 20 }; /* after so many the flows that have begun are forgotten */

void tm_json_writer_init(struct tm_json_writer *w, const struct tm_emit_context *context)
{
    *w = (struct tm_json_writer){.context = context, .awaits_base = context->options->rebase};
    tm_out_init(&w->out, context->fd, context->options->out_path);
    tm_out_guard_json(&w->out);
    tm_out_set_late(&w->out, context->sources, context->options->jobs);
}

void tm_json_writer_release(struct tm_json_writer *w)
{
    tm_json_id_numbers_release(&w->ids);
    tm_map_release(&w->flows);
    tm_buf_release(&w->scratch);
    tm_buf_release(&w->begun);
    tm_out_release(&w->out);
}

bool tm_json_writer_follows(struct tm_json_writer *w)
{
    bool follows = w->has_events;
    w->has_events = true;
    return follows;
}

void tm_json_writer_next(struct tm_json_writer *w)
{
    tm_out_str(&w->out, tm_json_writer_follows(w) ? ",\n" : "\n");
}

void tm_json_writer_unsupported(struct tm_json_writer *w, const struct tm_event *e)
{
    if (!tm_event_is_counted(e->flags))
        return;
    w->unsupported_count++;
    tm_unsupported_counts_event(w->context->unsupported, e);
}

void tm_json_writer_micros(struct tm_json_writer *w, int64_t ns)
{
    tm_out_micros(&w->out, ns);
}

void tm_json_writer_time(struct tm_json_writer *w, int64_t time_ns)
{
    tm_json_writer_micros(w, time_ns - w->base_ns);
}

struct tm_text tm_json_writer_string(const struct tm_json_writer *w, uint32_t string, const struct tm_event *e)
{
    return tm_catalog_string(w->context->catalog, string, e);
}

void tm_json_writer_draft(const struct tm_json_writer *w, const struct tm_event *e, char phase,
                          struct tm_json_event_draft *draft)
{
    *draft = (struct tm_json_event_draft){.form = {.phase = phase},
                                          .ts_ns = e->time_ns - w->base_ns,
                                          .category = tm_json_writer_string(w, e->category, e),
                                          .name = tm_json_writer_string(w, e->name, e),
                                          .detail = {e->detail, e->detail_bytes}};
}

/* Returns how an event with a bind_id expresses FIELD of a Detail; NONE: the field is not a flow. */
static enum tm_json_bind bind_of(uint32_t field)
{
    switch (field) {
    case TM_DETAIL_BIND_OUT: return TM_JSON_BIND_OUT;
    case TM_DETAIL_FLOW_IDS: /* but the first event of the flow starts it */
    case TM_DETAIL_BIND_STEP: return TM_JSON_BIND_STEP;
    case TM_DETAIL_TERMINATING_FLOW_IDS:
    case TM_DETAIL_BIND_IN: return TM_JSON_BIND_IN;
    default: return TM_JSON_BIND_NONE;
    }
}

/* Finds the first flow of DETAIL. False: it has no flow. */
static bool find_flow(struct tm_text detail, struct tm_pb_field *flow)
{
    struct tm_pb pb = tm_pb_of(detail.data, detail.len);
    while (tm_pb_next(&pb, flow) == TM_OK)
        if (flow->type == TM_PB_I64 && bind_of(flow->id) != TM_JSON_BIND_NONE)
            return true;
    return false;
}

/* Sets *IS_FIRST: no event had the flow with NUMBER before. */
static enum tm_status note_flow(struct tm_json_writer *w, uint64_t number, bool *is_first, struct tm_error *err)
{
    if (w->flows.count == FLOWS_MAX)
        tm_map_clear(&w->flows);
    enum tm_status st = tm_map_add(&w->flows, number, 0);
    *is_first = st == TM_OK;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_json_writer_begin_flow(struct tm_json_writer *w, uint32_t file, struct tm_text *detail,
                                         struct tm_error *err)
{
    struct tm_pb_field flow;
    bool is_first = false;
    if (!find_flow(*detail, &flow) || flow.id != TM_DETAIL_FLOW_IDS)
        return TM_OK;
    uint64_t number = flow.value;
    enum tm_status st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &number, err);
    if (st < 0 || (st = note_flow(w, number, &is_first, err)) < 0 || !is_first)
        return st;
    tm_buf_clear(&w->begun);
    if (tm_buf_add(&w->begun, detail->data, detail->len) < 0)
        return tm_error_nomem(err);
    w->begun.data[flow.start - detail->data] = TM_DETAIL_BIND_OUT << 3 | TM_PB_I64; /* as long as the tag before it */
    *detail = tm_text_at(w->begun.data, w->begun.len);
    return TM_OK;
}

enum tm_status tm_json_writer_bind(struct tm_json_writer *w, uint32_t file, struct tm_json_event_draft *draft,
                                   struct tm_error *err)
{
    struct tm_pb_field flow;
    bool is_first = false;
    draft->form.bind = TM_JSON_BIND_NONE;
    if (!find_flow(draft->detail, &flow) && !find_flow(draft->more_detail, &flow))
        return TM_OK;
    draft->bind_id = flow.value;
    enum tm_status st = tm_json_writer_renumber(w, file, TM_JSON_ID_OF_FLOW, &draft->bind_id, err);
    if (st == TM_OK && flow.id == TM_DETAIL_FLOW_IDS)
        st = note_flow(w, draft->bind_id, &is_first, err);
    draft->form.bind = (uint8_t)(is_first ? TM_JSON_BIND_OUT : bind_of(flow.id));
    return st;
}

enum tm_status tm_json_writer_put(struct tm_json_writer *w, const struct tm_json_event_draft *draft,
                                  struct tm_error *err)
{
    struct tm_json_event_record record;
    tm_json_event_draft_record(draft, tm_json_writer_follows(w), &record);
    tm_out_late(&w->out, tm_json_event_format, record.pieces, TM_JSON_EVENT_PIECES);
    return tm_out_end_row(&w->out, err);
}

static enum tm_status number_of(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                const struct tm_json_id *id, uint64_t *number)
{
    bool is_joined = kind == TM_JSON_ID_OF_FLOW && w->context->options->join_flows;
    uint32_t order = is_joined ? 0 : w->context->catalog->files[file].processing_order;
    return tm_json_id_numbers_find(&w->ids, order, kind, id, number);
}

enum tm_status tm_json_writer_id(struct tm_json_writer *w, const struct tm_event *e, enum tm_json_id_kind kind,
                                 const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_id id;
    uint64_t number;
    size_t quote = value->type == TM_JSON_STRING;
    if (!tm_json_id_of(value, &w->scratch, &id)) {
        tm_out_bytes(&w->out, value->data - quote, value->len + 2 * quote);
        return TM_OK;
    }
    if (number_of(w, e->file, kind, &id, &number) < 0)
        return tm_error_nomem(err);
    tm_out_u64(&w->out, number);
    return TM_OK;
}

enum tm_status tm_json_writer_renumber(struct tm_json_writer *w, uint32_t file, enum tm_json_id_kind kind,
                                       uint64_t *id, struct tm_error *err)
{
    const struct tm_json_id was = {.number = *id};
    return number_of(w, file, kind, &was, id) < 0 ? tm_error_nomem(err) : TM_OK;
}
