/* Zipkin v2: a list of spans, or a list of traces, each a list of spans. */
#include "format/spans/internal.h"

#include "base/checked.h"

enum { TRACE_ID, ID, PARENT, NAME, KIND, SHARED, TIMESTAMP, DURATION, LOCAL, REMOTE, TAGS, ANNOTATIONS, SPAN_MEMBERS };
static const char *const span_names[SPAN_MEMBERS] = {
    "traceid",   "id",       "parentid",      "name",           "kind", "shared",
    "timestamp", "duration", "localendpoint", "remoteendpoint", "tags", "annotations"};

static const char *const kinds[] = {"server", "client", "producer", "consumer"};
enum { KIND_SERVER, KIND_CLIENT, KIND_PRODUCER, KIND_CONSUMER, KIND_COUNT };

/* Times are in microseconds. */
enum { MICROSECONDS = 3 };

/* Sets x->service to the service of ENDPOINT. Its name alone identifies it, because port and address may be those of
 * any connection. */
static enum tm_status read_service(struct tm_spans *x, const struct tm_json_value *endpoint)
{
    static const char *const names[] = {"servicename"};
    struct tm_json_value name;
    tm_spans_members(endpoint, names, 1, &name);
    tm_spans_service_begin(&x->services);
    if (tm_spans_text(x, &name) < 0)
        return x->err->status;
    if (x->text.len && tm_spans_service_attribute(&x->services, tm_text_str("service.name"),
                                                  (struct tm_text){x->text.data, x->text.len}) < 0)
        return tm_error_nomem(x->err);
    return tm_spans_service_end(&x->services, &x->service, x->err);
}

static enum tm_status put_tags(struct tm_spans *x, const struct tm_json_value *tags)
{
    struct tm_json_scan scan = tm_spans_inside(tags, TM_JSON_OBJECT);
    struct tm_json_value key, value;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_spans_next_member(&scan, &key, &value))
        if ((st = tm_spans_set_key(x, &key)) == TM_OK)
            st = tm_spans_arg(x, &value, TM_SPANS_AS_IT_IS);
    return st;
}

static enum tm_status put_annotations(struct tm_spans *x, const struct tm_spans_span *s,
                                      const struct tm_json_value *list)
{
    static const char *const names[] = {"timestamp", "value"};
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value annotation, members[2];
    int64_t time_ns;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_spans_next_element(&scan, &annotation)) {
        tm_spans_members(&annotation, names, 2, members);
        tm_spans_args_begin(x, 0);
        if (tm_spans_time(&members[0], MICROSECONDS, &time_ns))
            st = tm_spans_add_event(x, s, time_ns, &members[1]);
        else
            tm_spans_count(&x->no_time, 1, s->byte);
    }
    return st;
}

static enum tm_status put_args(struct tm_spans *x, const struct tm_json_value *members, size_t kind)
{
    enum tm_status st = kind < KIND_COUNT ? tm_spans_arg_text(x, "span.kind", kinds[kind]) : TM_OK;
    if (st == TM_OK)
        st = tm_spans_arg_named(x, "shared", &members[SHARED]);
    if (st == TM_OK)
        st = tm_spans_arg_named(x, "localEndpoint", &members[LOCAL]);
    if (st == TM_OK)
        st = tm_spans_arg_named(x, "remoteEndpoint", &members[REMOTE]);
    return st < 0 ? st : put_tags(x, &members[TAGS]);
}

/* Adds the rows of the span OBJECT and of its annotations. */
static enum tm_status take_span(struct tm_spans *x, const struct tm_json_value *object,
                                const struct tm_json_value *members, uint64_t byte)
{
    struct tm_spans_span s = {.name = members[NAME], .byte = byte};
    size_t kind = members[KIND].data ? tm_spans_find(kinds, KIND_COUNT, &members[KIND]) : KIND_COUNT;
    int64_t dur_ns = 0;
    tm_span_id_read(&s.trace, &members[TRACE_ID], TM_TRACE_ID_DIGITS);
    tm_span_id_read(&s.span, &members[ID], TM_SPAN_ID_DIGITS);
    tm_span_id_read(&s.parent, &members[PARENT], TM_SPAN_ID_DIGITS);
    s.is_shared = members[SHARED].data && members[SHARED].type == TM_JSON_TRUE;
    s.is_called = s.is_shared || kind == KIND_SERVER || kind == KIND_CONSUMER;
    s.has_time = tm_spans_time(&members[TIMESTAMP], MICROSECONDS, &s.start_ns);
    s.is_open = !tm_spans_time(&members[DURATION], MICROSECONDS, &dur_ns);
    if (s.is_open || !tm_add_i64(s.start_ns, dur_ns, &s.end_ns))
        s.end_ns = s.start_ns;
    tm_spans_args_begin(x, object->len);
    x->flow_count = 0;
    enum tm_status st = read_service(x, &members[LOCAL]);
    if (st == TM_OK)
        st = put_args(x, members, kind);
    if (st == TM_OK)
        st = tm_spans_add(x, &s);
    return st < 0 ? st : put_annotations(x, &s, &members[ANNOTATIONS]);
}

static enum tm_status read_span(struct tm_spans *x)
{
    struct tm_json_value object, members[SPAN_MEMBERS];
    uint64_t byte = x->cursor->in->offset;
    enum tm_status st = tm_json_cursor_value(x->cursor, &object, x->err);
    if (st < 0)
        return st;
    if (object.type != TM_JSON_OBJECT) {
        tm_spans_count(&x->damaged, 1, byte);
        return TM_OK;
    }
    tm_spans_members(&object, span_names, SPAN_MEMBERS, members);
    return take_span(x, &object, members, byte);
}

/* Reads the spans of a trace. */
static enum tm_status read_trace(struct tm_spans *x)
{
    enum tm_status st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK)
        st = read_span(x);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_document(struct tm_spans *x)
{
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK &&
           (st = tm_json_cursor_type(x->cursor, &type, x->err)) == TM_OK)
        st = type == TM_JSON_ARRAY ? read_trace(x) : read_span(x);
    return st == TM_END ? TM_OK : st;
}

/* Adds OBJECT, found in a damaged text, if it is a span: it has ids, and an endpoint or a time. */
static enum tm_status found(struct tm_spans *x, const struct tm_json_value *object, uint64_t byte)
{
    struct tm_json_value members[SPAN_MEMBERS];
    tm_spans_members(object, span_names, SPAN_MEMBERS, members);
    if (members[TRACE_ID].data == NULL || members[ID].data == NULL ||
        (members[LOCAL].data == NULL && members[TIMESTAMP].data == NULL))
        return TM_END;
    return take_span(x, object, members, byte);
}

const struct tm_spans_grammar tm_spans_zipkin = {
    .read = read_document,
    .found = found,
    .begins = tm_spans_sniff_zipkin,
};
