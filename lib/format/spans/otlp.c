/* OTLP as JSON: requests to export spans. Records of other signals are counted. */
#include "format/spans/internal.h"

#include "base/decimal.h"

enum { NESTING_MAX = 16 }; /* nesting of an attribute's values; deeper ones are left out */

/* The names of the lists in each signal's request, outermost first. */
struct signal {
    const char *resources, *scopes, *old_scopes, *records;
    bool has_spans;
};

static const struct signal signals[] = {
    {"resourcespans", "scopespans", "instrumentationlibraryspans", "spans", true},
    {"batches", "scopespans", "instrumentationlibraryspans", "spans", true}, /* the name in Tempo */
    {"resourcelogs", "scopelogs", "instrumentationlibrarylogs", "logrecords", false},
    {"resourcemetrics", "scopemetrics", "instrumentationlibrarymetrics", "metrics", false},
};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

enum {
    TRACE_ID, SPAN_ID, PARENT, NAME, KIND, FLAGS, START, END, STATUS, STATE, ATTRIBUTES, EVENTS, LINKS,
    DROPPED_ATTRIBUTES, DROPPED_EVENTS, DROPPED_LINKS, SPAN_MEMBERS
};
static const char *const span_names[SPAN_MEMBERS] = {"traceid",
                                                     "spanid",
                                                     "parentspanid",
                                                     "name",
                                                     "kind",
                                                     "flags",
                                                     "starttimeunixnano",
                                                     "endtimeunixnano",
                                                     "status",
                                                     "tracestate",
                                                     "attributes",
                                                     "events",
                                                     "links",
                                                     "droppedattributescount",
                                                     "droppedeventscount",
                                                     "droppedlinkscount"};

static const char *const kinds[] = {"unspecified", "internal", "server", "client", "producer", "consumer"};
enum { KIND_SERVER = 2, KIND_CONSUMER = 5, KIND_COUNT = 6 };

static enum tm_status any_value(struct tm_spans *x, const struct tm_json_value *value, unsigned depth);

/* Adds the elements of an array, or the members of a list of keys and values, each below x->key. */
static enum tm_status nested_values(struct tm_spans *x, const struct tm_json_value *list, bool has_keys, unsigned depth)
{
    static const char *const values[] = {"values"}, *const pair[] = {"key", "value"};
    const size_t key_len = x->key.len;
    struct tm_json_value array, element, members[2];
    uint32_t index = 0;
    enum tm_status st = TM_OK;
    tm_spans_members(list, values, 1, &array);
    struct tm_json_scan scan = tm_spans_inside(&array, TM_JSON_ARRAY);
    while (st == TM_OK && x->args.len <= x->args_max && tm_spans_next_element(&scan, &element)) {
        x->key.len = key_len;
        if (has_keys) {
            tm_spans_members(&element, pair, 2, members);
            if (members[0].data == NULL || members[0].type != TM_JSON_STRING || members[1].data == NULL)
                continue;
            if (tm_buf_add_byte(&x->key, '.') != TM_OK || tm_json_unescape(&members[0], &x->key) != TM_OK)
                return tm_error_nomem(x->err);
            element = members[1];
        } else if (tm_buf_addf(&x->key, "[%u]", index++) != TM_OK) {
            return tm_error_nomem(x->err);
        }
        st = any_value(x, &element, depth + 1);
    }
    x->key.len = key_len;
    return st;
}

/* Adds the AnyValue VALUE as argument x->key. A value without its wrapper is accepted. */
static enum tm_status any_value(struct tm_spans *x, const struct tm_json_value *value, unsigned depth)
{
    enum { STRING, BOOL, INT, DOUBLE, BYTES, ARRAY, LIST, COUNT };
    static const char *const names[COUNT] = {"stringvalue", "boolvalue",  "intvalue",   "doublevalue",
                                             "bytesvalue",  "arrayvalue", "kvlistvalue"};
    struct tm_json_value members[COUNT];
    if (value->type != TM_JSON_OBJECT)
        return tm_spans_arg(x, value, TM_SPANS_AS_IT_IS);
    tm_spans_members(value, names, COUNT, members);
    for (int i = 0; i < COUNT; i++) {
        if (members[i].data == NULL)
            continue;
        if (i < ARRAY)
            return tm_spans_arg(x, &members[i],
                                i == INT      ? TM_SPANS_INT
                                : i == DOUBLE ? TM_SPANS_DOUBLE
                                              : TM_SPANS_AS_IT_IS);
        if (depth == NESTING_MAX) {
            x->args_cut++;
            return TM_OK;
        }
        return nested_values(x, &members[i], i == LIST, depth);
    }
    return TM_OK;
}

/* Adds the attributes of a span, an event or a link; x->prefix precedes their keys. */
static enum tm_status put_attributes(struct tm_spans *x, const struct tm_json_value *list)
{
    static const char *const pair[] = {"key", "value"};
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value element, members[2];
    enum tm_status st = TM_OK;
    if (!x->context.sink->want_detail)
        return TM_OK;
    while (st == TM_OK && tm_spans_next_element(&scan, &element)) {
        tm_spans_members(&element, pair, 2, members);
        if (members[0].data == NULL || members[0].type != TM_JSON_STRING || members[1].data == NULL)
            continue;
        tm_buf_clear(&x->key);
        if (tm_buf_add(&x->key, x->prefix.data, x->prefix.len) != TM_OK ||
            tm_json_unescape(&members[0], &x->key) != TM_OK)
            return tm_error_nomem(x->err);
        st = any_value(x, &members[1], 0);
    }
    return st;
}

/* Reads a kind, written as a number or as SPAN_KIND_SERVER; 0: not stated. */
static unsigned kind_of(const struct tm_json_value *value)
{
    int64_t number;
    if (value->data == NULL)
        return 0;
    if (value->type == TM_JSON_NUMBER && tm_decimal_int((const char *)value->data, value->len, &number) == TM_OK)
        return number > 0 && number < KIND_COUNT ? (unsigned)number : 0;
    for (unsigned i = 1; value->type == TM_JSON_STRING && i < KIND_COUNT; i++)
        if (value->len > 10 &&
            tm_spans_is(&(struct tm_json_value){value->data + 10, value->len - 10, TM_JSON_STRING, false, false},
                        kinds[i]))
            return i;
    return 0;
}

/* True if another process called the span: by its flags if these say so, otherwise by its kind. Source:
 * opentelemetry-proto, trace.proto, SpanFlags. */
static bool is_called(const struct tm_json_value *flags, unsigned kind)
{
    enum { HAS_IS_REMOTE = 0x100, IS_REMOTE = 0x200 };
    int64_t bits;
    if (flags->data && tm_decimal_int((const char *)flags->data, flags->len, &bits) == TM_OK && bits & HAS_IS_REMOTE)
        return bits & IS_REMOTE;
    return kind == KIND_SERVER || kind == KIND_CONSUMER;
}

/* Adds the status, under the names that OpenTelemetry defines for formats without a status. */
static enum tm_status put_status(struct tm_spans *x, const struct tm_json_value *status)
{
    static const char *const names[] = {"code", "message"};
    struct tm_json_value members[2];
    enum tm_status st = TM_OK;
    tm_spans_members(status, names, 2, members);
    const struct tm_json_value *code = &members[0];
    if (code->data && (tm_spans_is(code, "1") || tm_spans_is(code, "statuscodeok")))
        st = tm_spans_arg_text(x, "otel.status_code", "OK");
    else if (code->data && (tm_spans_is(code, "2") || tm_spans_is(code, "statuscodeerror")))
        st = tm_spans_arg_text(x, "otel.status_code", "ERROR");
    if (st == TM_OK && members[1].data && members[1].len)
        st = tm_spans_arg_named(x, "otel.status_description", &members[1]);
    return st;
}

static bool is_zero(const struct tm_json_value *value)
{
    return value->data && value->len == 1 && value->data[0] == '0';
}

static enum tm_status put_links(struct tm_spans *x, const struct tm_json_value *list)
{
    enum { LINK_TRACE, LINK_SPAN, LINK_ATTRIBUTES, COUNT };
    static const char *const names[COUNT] = {"traceid", "spanid", "attributes"};
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value link, members[COUNT];
    struct tm_span_id trace, span;
    enum tm_status st = TM_OK;
    for (unsigned i = 0; st == TM_OK && tm_spans_next_element(&scan, &link); i++) {
        tm_spans_members(&link, names, COUNT, members);
        tm_span_id_read(&trace, &members[LINK_TRACE], TM_TRACE_ID_DIGITS);
        tm_span_id_read(&span, &members[LINK_SPAN], TM_SPAN_ID_DIGITS);
        tm_buf_clear(&x->prefix);
        if (tm_buf_addf(&x->prefix, "links[%u].attributes.", i) != TM_OK)
            return tm_error_nomem(x->err);
        if ((st = tm_spans_link(x, i, &trace, &span)) == TM_OK)
            st = put_attributes(x, &members[LINK_ATTRIBUTES]);
    }
    tm_buf_clear(&x->prefix);
    return st;
}

static enum tm_status put_args(struct tm_spans *x, const struct tm_json_value *members, unsigned kind)
{
    static const struct {
        int member;
        const char *key;
    } counts[] = {{DROPPED_ATTRIBUTES, "otel.dropped_attributes_count"},
                  {DROPPED_EVENTS, "otel.dropped_events_count"},
                  {DROPPED_LINKS, "otel.dropped_links_count"}};
    enum tm_status st = kind ? tm_spans_arg_text(x, "span.kind", kinds[kind]) : TM_OK;
    if (st == TM_OK)
        st = put_status(x, &members[STATUS]);
    if (st == TM_OK && members[STATE].data && members[STATE].len)
        st = tm_spans_arg_named(x, "trace_state", &members[STATE]);
    if (st == TM_OK)
        st = put_attributes(x, &members[ATTRIBUTES]);
    if (st == TM_OK)
        st = put_links(x, &members[LINKS]);
    for (size_t i = 0; st == TM_OK && i < sizeof counts / sizeof *counts; i++)
        if (!is_zero(&members[counts[i].member]))
            st = tm_spans_arg_named(x, counts[i].key, &members[counts[i].member]);
    return st;
}

static enum tm_status put_events(struct tm_spans *x, const struct tm_spans_span *s, const struct tm_json_value *list)
{
    enum { TIME, EVENT_NAME, EVENT_ATTRIBUTES, COUNT };
    static const char *const names[COUNT] = {"timeunixnano", "name", "attributes"};
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value event, members[COUNT];
    int64_t time_ns;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_spans_next_element(&scan, &event)) {
        tm_spans_members(&event, names, COUNT, members);
        if (!tm_spans_time(&members[TIME], 0, &time_ns)) {
            tm_spans_count(&x->no_time, 1, s->byte);
            continue;
        }
        tm_spans_args_begin(x, event.len);
        st = put_attributes(x, &members[EVENT_ATTRIBUTES]);
        if (st == TM_OK)
            st = tm_spans_add_event(x, s, time_ns, &members[EVENT_NAME]);
    }
    return st;
}

/* Adds the rows of the span OBJECT and of its events. */
static enum tm_status take_span(struct tm_spans *x, const struct tm_json_value *object,
                                const struct tm_json_value *members, uint64_t byte)
{
    struct tm_spans_span s = {.name = members[NAME], .byte = byte};
    unsigned kind = kind_of(&members[KIND]);
    tm_span_id_read(&s.trace, &members[TRACE_ID], TM_TRACE_ID_DIGITS);
    tm_span_id_read(&s.span, &members[SPAN_ID], TM_SPAN_ID_DIGITS);
    tm_span_id_read(&s.parent, &members[PARENT], TM_SPAN_ID_DIGITS);
    s.is_called = is_called(&members[FLAGS], kind);
    s.has_time = tm_spans_time(&members[START], 0, &s.start_ns);
    s.is_open = !tm_spans_time(&members[END], 0, &s.end_ns);
    if (s.is_open)
        s.end_ns = s.start_ns;
    tm_spans_args_begin(x, object->len);
    x->flow_count = 0;
    enum tm_status st = put_args(x, members, kind);
    if (st == TM_OK)
        st = tm_spans_add(x, &s);
    return st < 0 ? st : put_events(x, &s, &members[EVENTS]);
}

/* Sets x->service to the service that RESOURCE describes. */
static enum tm_status read_resource(struct tm_spans *x, const struct tm_json_value *resource)
{
    static const char *const attributes[] = {"attributes"}, *const pair[] = {"key", "value"};
    static const char *const scalars[] = {"stringvalue", "intvalue", "boolvalue", "doublevalue"};
    struct tm_json_value list, element, members[2], values[4];
    tm_spans_members(resource, attributes, 1, &list);
    struct tm_json_scan scan = tm_spans_inside(&list, TM_JSON_ARRAY);
    tm_spans_service_begin(&x->services);
    while (tm_spans_next_element(&scan, &element)) {
        tm_spans_members(&element, pair, 2, members);
        tm_spans_members(&members[1], scalars, 4, values);
        const struct tm_json_value *value = &values[0];
        for (size_t i = 1; i < 4 && value->data == NULL; i++)
            value = &values[i];
        if (tm_spans_set_key(x, &members[0]) < 0 || tm_spans_text(x, value) < 0)
            return x->err->status;
        if (x->key.len && x->text.len &&
            tm_spans_service_attribute(&x->services, (struct tm_text){x->key.data, x->key.len},
                                       (struct tm_text){x->text.data, x->text.len}) < 0)
            return tm_error_nomem(x->err);
    }
    return tm_spans_service_end(&x->services, &x->service, x->err);
}

static enum tm_status read_scope(struct tm_spans *x, const struct tm_json_value *scope)
{
    static const char *const names[] = {"name"};
    struct tm_json_value name;
    tm_spans_members(scope, names, 1, &name);
    enum tm_status st = tm_spans_text(x, &name);
    tm_buf_clear(&x->scope);
    if (st == TM_OK && tm_buf_add(&x->scope, x->text.data, x->text.len) != TM_OK)
        st = tm_error_nomem(x->err);
    return st;
}

/* Reads a list of records of SIGNAL. Spans become rows; other records are counted. */
static enum tm_status read_records(struct tm_spans *x, const struct signal *signal)
{
    struct tm_json_value object, members[SPAN_MEMBERS];
    uint64_t byte;
    enum tm_status st = tm_spans_expect(x, TM_JSON_ARRAY);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && !signal->has_spans && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK) {
        tm_spans_count(&x->not_shown, 1, x->cursor->in->offset);
        st = tm_json_cursor_skip(x->cursor, x->err);
    }
    while (st == TM_OK && (st = tm_spans_next_object(x, &object, &byte)) == TM_OK) {
        tm_spans_members(&object, span_names, SPAN_MEMBERS, members);
        st = take_span(x, &object, members, byte);
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_scope_member(struct tm_spans *x, const struct signal *signal,
                                        const struct tm_json_value *key)
{
    struct tm_json_value scope;
    if (tm_spans_is(key, signal->records))
        return read_records(x, signal);
    if (!tm_spans_is(key, "scope") && !tm_spans_is(key, "instrumentationlibrary"))
        return tm_json_cursor_skip(x->cursor, x->err);
    enum tm_status st = tm_json_cursor_value(x->cursor, &scope, x->err);
    return st < 0 ? st : read_scope(x, &scope);
}

static enum tm_status read_scopes(struct tm_spans *x, const struct signal *signal)
{
    struct tm_json_value key;
    bool has_records;
    enum tm_status st = tm_spans_expect(x, TM_JSON_ARRAY);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK) {
        tm_buf_clear(&x->scope);
        has_records = false;
        if ((st = tm_spans_expect(x, TM_JSON_OBJECT)) == TM_OK)
            st = tm_json_cursor_enter(x->cursor, x->err);
        while (st == TM_OK && (st = tm_json_cursor_key(x->cursor, &key, x->err)) == TM_OK) {
            has_records = has_records || tm_spans_is(&key, signal->records);
            st = read_scope_member(x, signal, &key);
        }
        x->lists_missing += st == TM_END && !has_records;
        st = st == TM_END ? TM_OK : st;
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_pending_scopes(struct tm_spans *x)
{
    return read_scopes(x, &signals[0]);
}

static enum tm_status show_pending(struct tm_spans *x)
{
    return tm_spans_read_pending(x, read_pending_scopes);
}

/* Reads the records of one resource. Scopes that precede it are pending until it is read. */
static enum tm_status read_resource_records(struct tm_spans *x, const struct signal *signal)
{
    struct tm_json_value key, resource;
    bool has_resource = false, has_list = false;
    enum tm_status st = tm_json_cursor_enter(x->cursor, x->err);
    x->service = (struct tm_spans_service){0};
    while (st == TM_OK && (st = tm_json_cursor_key(x->cursor, &key, x->err)) == TM_OK) {
        bool is_list = tm_spans_is(&key, signal->scopes) || tm_spans_is(&key, signal->old_scopes);
        has_list = has_list || is_list;
        if (tm_spans_is(&key, "resource")) {
            has_resource = true;
            if ((st = tm_json_cursor_value(x->cursor, &resource, x->err)) == TM_OK && signal->has_spans)
                st = read_resource(x, &resource);
        } else if (is_list && !has_resource && signal->has_spans) {
            st = tm_spans_make_pending(x, false);
        } else {
            st = is_list ? read_scopes(x, signal) : tm_json_cursor_skip(x->cursor, x->err);
        }
    }
    x->lists_missing += st == TM_END && !has_list;
    return st == TM_END ? show_pending(x) : st;
}

static enum tm_status read_resources(struct tm_spans *x, const struct signal *signal)
{
    enum tm_status st = tm_spans_expect(x, TM_JSON_ARRAY);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK) {
        st = tm_spans_expect(x, TM_JSON_OBJECT);
        st = st == TM_OK ? read_resource_records(x, signal) : st == TM_END ? TM_OK : st;
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_request(struct tm_spans *x)
{
    struct tm_json_value key;
    enum tm_status st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(x->cursor, &key, x->err)) == TM_OK) {
        size_t i = 0;
        while (i < SIGNAL_COUNT && !tm_spans_is(&key, signals[i].resources))
            i++;
        st = i < SIGNAL_COUNT ? read_resources(x, &signals[i]) : tm_json_cursor_skip(x->cursor, x->err);
    }
    return st == TM_END ? TM_OK : st;
}

/* Reads a request, or a list of requests. */
static enum tm_status read_document(struct tm_spans *x)
{
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(x->cursor, &type, x->err);
    if (st < 0 || type != TM_JSON_ARRAY)
        return st < 0 ? st : read_request(x);
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK) {
        st = tm_spans_expect(x, TM_JSON_OBJECT);
        st = st == TM_OK ? read_request(x) : st == TM_END ? TM_OK : st;
    }
    return st == TM_END ? TM_OK : st;
}

/* Adds OBJECT, found in a damaged text, if it is a span: it has ids and a time. */
static enum tm_status found(struct tm_spans *x, const struct tm_json_value *object, uint64_t byte)
{
    struct tm_json_value members[SPAN_MEMBERS];
    tm_spans_members(object, span_names, SPAN_MEMBERS, members);
    if (members[TRACE_ID].data == NULL || members[SPAN_ID].data == NULL || members[START].data == NULL)
        return TM_END;
    return take_span(x, object, members, byte);
}

/* Reads a resource or a scope in a damaged text. They are the first members of their objects. */
static enum tm_status head(struct tm_spans *x, const struct tm_json_value *key, const struct tm_json_value *value)
{
    bool is_resource = tm_spans_is(key, "resource");
    if (!is_resource && !tm_spans_is(key, "scope"))
        return TM_END;
    tm_buf_clear(&x->scope);
    if (is_resource)
        x->service = (struct tm_spans_service){0};
    if (value == NULL)
        return TM_OK;
    return is_resource ? read_resource(x, value) : read_scope(x, value);
}

const struct tm_spans_grammar tm_spans_otlp = {
    .read = read_document,
    .found = found,
    .head = head,
    .show_pending = show_pending,
    .begins = tm_spans_sniff_otlp,
    .has_lines = true,
};
