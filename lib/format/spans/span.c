/* Rows of spans and of their events. */
#include "format/spans/internal.h"

#include "base/pb.h"
#include "stream/clock_id.h"
#include "stream/detail_arg.h"

static bool put_id(struct tm_spans *x, const char *key, const struct tm_span_id *id)
{
    return id->len == 0 || tm_detail_arg_text(&x->detail, key, id->text, id->len) == TM_OK;
}

/* Adds the incoming flows, the caller's first, then the flow that starts here. The caller's flow does not end here,
 * because the caller may have called others, too. An event can state this of one flow only. Some outputs show only the
 * first flow. */
static bool put_flows(struct tm_spans *x, const struct tm_spans_span *s)
{
    const struct tm_span_id *caller = s->is_shared ? &s->span : &s->parent;
    uint32_t field = TM_DETAIL_BIND_IN;
    bool good = true;
    if (s->trace.len && s->is_called && caller->len) {
        good = tm_pb_put_i64(&x->detail, field, tm_span_id_flow(&s->trace, caller)) == TM_OK;
        field = TM_DETAIL_TERMINATING_FLOW_IDS;
    }
    for (uint32_t i = 0; good && i < x->flow_count; i++, field = TM_DETAIL_TERMINATING_FLOW_IDS)
        good = tm_pb_put_i64(&x->detail, field, x->flows[i]) == TM_OK;
    if (good && s->trace.len && s->span.len && !s->is_shared)
        good = tm_pb_put_i64(&x->detail, TM_DETAIL_FLOW_IDS, tm_span_id_flow(&s->trace, &s->span)) == TM_OK;
    return good;
}

/* Begins a row of the current service with name NAME. */
static enum tm_status begin_row(struct tm_spans *x, const struct tm_json_value *name, struct tm_event *e)
{
    struct tm_event_sink *sink = x->context.sink;
    enum tm_status st = TM_OK;
    if (x->service.track == 0) { /* its process is unknown */
        tm_spans_service_begin(&x->services);
        st = tm_spans_service_end(&x->services, &x->service, x->err);
    }
    *e = (struct tm_event){.clock = TM_CLOCK_REALTIME, .pid = x->service.pid};
    e->flags = TM_EVENT_HAS_PID | TM_EVENT_HAS_TRACK | tm_event_scope_flags(TM_SCOPE_TRACK);
    if (st < 0 || (st = tm_spans_text(x, name)) < 0)
        return st;
    tm_buf_clear(&x->detail);
    st = tm_event_sink_string(sink, tm_text_at(x->text.len ? (const void *)x->text.data : "", x->text.len), &x->detail,
                              &e->name, x->err);
    if (st == TM_OK && x->scope.len)
        st = tm_event_sink_string(sink, tm_text_at(x->scope.data, x->scope.len), &x->detail, &e->category, x->err);
    return st;
}

static enum tm_status end_row(struct tm_spans *x, struct tm_event *e)
{
    e->detail = x->detail.data;
    e->detail_bytes = (uint32_t)x->detail.len;
    return tm_spans_window_add(&x->window, e, x->err);
}

/* Returns a number for the span ID in the current service; 0 if it has no id. */
static uint64_t number_of(const struct tm_spans *x, const struct tm_span_id *trace, const struct tm_span_id *id)
{
    return id->len ? (tm_span_id_flow(trace, id) ^ x->service.track) | 1 : 0;
}

enum tm_status tm_spans_add(struct tm_spans *x, const struct tm_spans_span *s)
{
    struct tm_event e;
    enum tm_status st = begin_row(x, &s->name, &e);
    if (st < 0)
        return st;
    st = tm_spans_window_begin(&x->window, &x->service, number_of(x, &s->trace, &s->span),
                               s->is_called ? 0 : number_of(x, &s->trace, &s->parent), x->err);
    if (st < 0)
        return st;
    if (!s->has_time) { /* its events may have a time */
        tm_spans_count(&x->no_time, 1, s->byte);
        return TM_OK;
    }
    e.kind = TM_KIND_SLICE_COMPLETE;
    e.time_ns = s->start_ns;
    e.dur_ns = s->end_ns > s->start_ns ? s->end_ns - s->start_ns : 0; /* both are positive */
    if (x->context.sink->want_detail &&
        (!put_id(x, "trace_id", &s->trace) || !put_id(x, "span_id", &s->span) ||
         !put_id(x, "parent_span_id", &s->parent) ||
         (s->is_open && tm_detail_arg_bool(&x->detail, "unfinished", true) != TM_OK) ||
         tm_buf_add(&x->detail, x->args.data, x->args.len) != TM_OK || !put_flows(x, s)))
        return tm_error_nomem(x->err);
    return end_row(x, &e);
}

enum tm_status tm_spans_add_event(struct tm_spans *x, const struct tm_spans_span *s, int64_t time_ns,
                                  const struct tm_json_value *name)
{
    struct tm_event e;
    enum tm_status st = begin_row(x, name, &e);
    if (st < 0)
        return st;
    e.kind = TM_KIND_INSTANT;
    e.time_ns = time_ns;
    if (x->context.sink->want_detail &&
        (!put_id(x, "span_id", &s->span) || tm_buf_add(&x->detail, x->args.data, x->args.len) != TM_OK))
        return tm_error_nomem(x->err);
    return end_row(x, &e);
}
