/* Jaeger's query service: traces, each with its spans and the processes that these refer to, usually after them. */
#include "format/spans/internal.h"

#include "base/checked.h"
#include "base/hash.h"
#include "base/table.h"

enum { NESTING_MAX = 2 }; /* nesting of lists of traces */
enum { SEED_PROCESS = 7, SEED_TRACE = 8 };

enum { TRACE_ID, SPAN_ID, PARENT, NAME, REFERENCES, START, DURATION, TAGS, LOGS, PROCESS_ID, PROCESS, SPAN_MEMBERS };
static const char *const span_names[SPAN_MEMBERS] = {"traceid",    "spanid",    "parentspanid", "operationname",
                                                     "references", "starttime", "duration",     "tags",
                                                     "logs",       "processid", "process"};

/* Times are in microseconds. */
enum { MICROSECONDS = 3 };

enum { TAG_KEY, TAG_TYPE, TAG_VALUE, TAG_MEMBERS };
static const char *const tag_names[TAG_MEMBERS] = {"key", "type", "value"};

static bool is_text(const struct tm_json_value *value, const char *text)
{
    return value->data && value->type == TM_JSON_STRING && tm_json_is(value, text);
}

/* Adds a tag. Integers beyond 2^53 are strings whose type says that they are integers. */
static enum tm_status put_tag(struct tm_spans *x, const struct tm_json_value *tag)
{
    enum tm_status st = tm_spans_set_key(x, &tag[TAG_KEY]);
    if (st < 0 || tag[TAG_VALUE].data == NULL)
        return st;
    return tm_spans_arg(x, &tag[TAG_VALUE],
                        is_text(&tag[TAG_TYPE], "int64")     ? TM_SPANS_INT
                        : is_text(&tag[TAG_TYPE], "float64") ? TM_SPANS_DOUBLE
                                                             : TM_SPANS_AS_IT_IS);
}

/* Adds tags as args. *IS_CALLED: the tags say that another process called the span. The scope's name is its
 * category. */
static enum tm_status put_tags(struct tm_spans *x, const struct tm_json_value *list, bool *is_called)
{
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value element, tag[TAG_MEMBERS];
    enum tm_status st = TM_OK;
    *is_called = false;
    tm_buf_clear(&x->scope);
    while (st == TM_OK && tm_spans_next_element(&scan, &element)) {
        tm_spans_members(&element, tag_names, TAG_MEMBERS, tag);
        if (is_text(&tag[TAG_KEY], "span.kind") &&
            (is_text(&tag[TAG_VALUE], "server") || is_text(&tag[TAG_VALUE], "consumer")))
            *is_called = true;
        if (is_text(&tag[TAG_KEY], "otel.scope.name") || is_text(&tag[TAG_KEY], "otel.library.name")) {
            st = tm_spans_text(x, &tag[TAG_VALUE]);
            tm_buf_clear(&x->scope);
            if (st == TM_OK && tm_buf_add(&x->scope, x->text.data, x->text.len) != TM_OK)
                st = tm_error_nomem(x->err);
        }
        if (st == TM_OK)
            st = put_tag(x, tag);
    }
    return st;
}

/* Adds a log. Its name is that of its event, otherwise its message. */
static enum tm_status put_log(struct tm_spans *x, const struct tm_spans_span *s, const struct tm_json_value *log)
{
    static const char *const names[] = {"timestamp", "fields"};
    static const char unnamed[] = "log";
    struct tm_json_value members[2], field, tag[TAG_MEMBERS];
    struct tm_json_value name = {(const uint8_t *)unnamed, sizeof unnamed - 1, TM_JSON_STRING, false, false};
    int64_t time_ns;
    bool has_event = false;
    enum tm_status st = TM_OK;
    tm_spans_members(log, names, 2, members);
    if (!tm_spans_time(&members[0], MICROSECONDS, &time_ns)) {
        tm_spans_count(&x->no_time, 1, s->byte);
        return TM_OK;
    }
    tm_spans_args_begin(x, log->len);
    struct tm_json_scan scan = tm_spans_inside(&members[1], TM_JSON_ARRAY);
    while (st == TM_OK && tm_spans_next_element(&scan, &field)) {
        tm_spans_members(&field, tag_names, TAG_MEMBERS, tag);
        bool is_event = is_text(&tag[TAG_KEY], "event");
        if (tag[TAG_VALUE].data && (is_event || (!has_event && is_text(&tag[TAG_KEY], "message")))) {
            name = tag[TAG_VALUE];
            has_event = is_event;
        }
        if (!is_event)
            st = put_tag(x, tag);
    }
    return st < 0 ? st : tm_spans_add_event(x, s, time_ns, &name);
}

/* Reads references. The first CHILD_OF of the same trace is the parent; others are links. */
static enum tm_status read_references(struct tm_spans *x, const struct tm_json_value *list, struct tm_spans_span *s)
{
    enum { TYPE, REF_TRACE, REF_SPAN, COUNT };
    static const char *const names[COUNT] = {"reftype", "traceid", "spanid"};
    struct tm_json_scan scan = tm_spans_inside(list, TM_JSON_ARRAY);
    struct tm_json_value element, ref[COUNT];
    struct tm_span_id trace, span;
    unsigned links = 0;
    enum tm_status st = TM_OK;
    while (st == TM_OK && tm_spans_next_element(&scan, &element)) {
        tm_spans_members(&element, names, COUNT, ref);
        tm_span_id_read(&trace, &ref[REF_TRACE], TM_TRACE_ID_DIGITS);
        tm_span_id_read(&span, &ref[REF_SPAN], TM_SPAN_ID_DIGITS);
        if (s->parent.len == 0 && is_text(&ref[TYPE], "CHILD_OF") && trace.len == s->trace.len &&
            memcmp(trace.text, s->trace.text, trace.len) == 0) {
            s->parent = span;
            continue;
        }
        st = tm_spans_link(x, links++, &trace, &span);
    }
    return st;
}

/* Sets *SERVICE to the service that OBJECT, a process, describes. */
static enum tm_status read_process(struct tm_spans *x, const struct tm_json_value *object,
                                   struct tm_spans_service *service)
{
    static const char *const names[] = {"servicename", "tags"};
    struct tm_json_value members[2], element, tag[TAG_MEMBERS];
    enum tm_status st = TM_OK;
    tm_spans_members(object, names, 2, members);
    tm_spans_service_begin(&x->services);
    struct tm_json_scan scan = tm_spans_inside(&members[1], TM_JSON_ARRAY);
    while (st == TM_OK && tm_spans_next_element(&scan, &element)) {
        tm_spans_members(&element, tag_names, TAG_MEMBERS, tag);
        if ((st = tm_spans_set_key(x, &tag[TAG_KEY])) < 0 || (st = tm_spans_text(x, &tag[TAG_VALUE])) < 0)
            return st;
        if (x->key.len && x->text.len)
            st = tm_spans_service_attribute(&x->services, (struct tm_text){x->key.data, x->key.len},
                                            (struct tm_text){x->text.data, x->text.len});
    }
    if (st == TM_OK && (st = tm_spans_text(x, &members[0])) < 0)
        return st;
    if (st == TM_OK && x->text.len)
        st = tm_spans_service_attribute(&x->services, tm_text_str("service.name"),
                                        (struct tm_text){x->text.data, x->text.len});
    return st < 0 ? tm_error_nomem(x->err) : tm_spans_service_end(&x->services, service, x->err);
}

/* Sets *KEY to a hash of the text of ID, the name or the number of a process. */
static enum tm_status process_key(struct tm_spans *x, const struct tm_json_value *id, uint64_t *key)
{
    const uint8_t *text = id->data;
    size_t len = id->len;
    if (id->type == TM_JSON_STRING && !tm_json_text(id, &x->text, &text, &len))
        return tm_error_nomem(x->err);
    *key = tm_hash64_seed(text, len, SEED_PROCESS);
    return TM_OK;
}

static void clear_processes(struct tm_spans *x)
{
    tm_map_clear(&x->process_ids);
    x->process_count = 0;
    x->has_processes = false;
}

/* Adds the process OBJECT with ID. One beyond the limit is counted: its spans have no service. */
static enum tm_status add_process(struct tm_spans *x, const struct tm_json_value *id,
                                  const struct tm_json_value *object)
{
    struct tm_spans_service service;
    uint64_t key;
    if (x->process_count == TM_SPANS_PROCESSES_MAX) {
        x->services.services_shared++;
        return TM_OK;
    }
    enum tm_status st = read_process(x, object, &service);
    if (st < 0 || (st = process_key(x, id, &key)) < 0 ||
        (st = tm_array_grow(&x->processes, &x->process_cap, x->process_count, sizeof *x->processes, x->err)) < 0)
        return st;
    if (tm_map_set(&x->process_ids, key, x->process_count) < 0)
        return tm_error_nomem(x->err);
    x->processes[x->process_count++] = service;
    return TM_OK;
}

static enum tm_status read_processes(struct tm_spans *x, const struct tm_json_value *object)
{
    struct tm_json_scan scan = tm_spans_inside(object, TM_JSON_OBJECT);
    struct tm_json_value id, process;
    enum tm_status st = TM_OK;
    clear_processes(x);
    x->has_processes = true;
    while (st == TM_OK && tm_spans_next_member(&scan, &id, &process))
        st = add_process(x, &id, &process);
    return st;
}

/* Sets x->service to the service of a span: that of its process id, or the one in the span itself. */
static enum tm_status find_service(struct tm_spans *x, const struct tm_json_value *members)
{
    uint32_t i;
    uint64_t key;
    x->service = (struct tm_spans_service){0};
    if (members[PROCESS].data && members[PROCESS].type == TM_JSON_OBJECT)
        return read_process(x, &members[PROCESS], &x->service);
    if (members[PROCESS_ID].data == NULL)
        return TM_OK;
    enum tm_status st = process_key(x, &members[PROCESS_ID], &key);
    if (st == TM_OK && tm_map_find(&x->process_ids, key, &i))
        x->service = x->processes[i];
    return st;
}

/* Adds the rows of the span OBJECT and of its logs. */
static enum tm_status take_span(struct tm_spans *x, const struct tm_json_value *object,
                                const struct tm_json_value *members, uint64_t byte)
{
    struct tm_spans_span s = {.name = members[NAME], .byte = byte};
    struct tm_json_value log;
    int64_t dur_ns = 0;
    tm_span_id_read(&s.trace, &members[TRACE_ID], TM_TRACE_ID_DIGITS);
    tm_span_id_read(&s.span, &members[SPAN_ID], TM_SPAN_ID_DIGITS);
    tm_span_id_read(&s.parent, &members[PARENT], TM_SPAN_ID_DIGITS);
    s.has_time = tm_spans_time(&members[START], MICROSECONDS, &s.start_ns);
    s.is_open = members[DURATION].data == NULL;
    if (!tm_spans_time(&members[DURATION], MICROSECONDS, &dur_ns) || !tm_add_i64(s.start_ns, dur_ns, &s.end_ns))
        s.end_ns = s.start_ns;
    tm_spans_args_begin(x, object->len);
    x->flow_count = 0;
    enum tm_status st = find_service(x, members);
    if (st == TM_OK)
        st = put_tags(x, &members[TAGS], &s.is_called);
    if (st == TM_OK)
        st = read_references(x, &members[REFERENCES], &s);
    if (st == TM_OK)
        st = tm_spans_add(x, &s);
    struct tm_json_scan scan = tm_spans_inside(&members[LOGS], TM_JSON_ARRAY);
    while (st == TM_OK && tm_spans_next_element(&scan, &log))
        st = put_log(x, &s, &log);
    return st;
}

static enum tm_status read_spans(struct tm_spans *x)
{
    struct tm_json_value object, members[SPAN_MEMBERS];
    uint64_t byte;
    enum tm_status st = tm_spans_expect(x, TM_JSON_ARRAY);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_spans_next_object(x, &object, &byte)) == TM_OK) {
        tm_spans_members(&object, span_names, SPAN_MEMBERS, members);
        st = take_span(x, &object, members, byte);
    }
    return st == TM_END ? TM_OK : st;
}

static enum tm_status show_pending(struct tm_spans *x)
{
    enum tm_status st = tm_spans_read_pending(x, read_spans);
    clear_processes(x);
    return st;
}

static enum tm_status read_traces(struct tm_spans *x, unsigned depth);

/* Reads a trace, or the answer that has a list of traces. */
static enum tm_status read_trace(struct tm_spans *x, unsigned depth)
{
    struct tm_json_value key, processes;
    enum tm_status st = tm_spans_expect(x, TM_JSON_OBJECT);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_key(x->cursor, &key, x->err)) == TM_OK) {
        if (tm_spans_is(&key, "data")) {
            st = read_traces(x, depth + 1);
        } else if (tm_spans_is(&key, "processes")) {
            if ((st = tm_json_cursor_value(x->cursor, &processes, x->err)) == TM_OK)
                st = read_processes(x, &processes);
        } else if (tm_spans_is(&key, "spans")) {
            x->has_processes_first = x->has_processes;
            st = x->has_processes ? read_spans(x) : tm_spans_make_pending(x, true);
        } else {
            st = tm_json_cursor_skip(x->cursor, x->err);
        }
    }
    return st == TM_END ? show_pending(x) : st;
}

static enum tm_status read_traces(struct tm_spans *x, unsigned depth)
{
    enum tm_status st = tm_spans_expect(x, TM_JSON_ARRAY);
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    st = tm_json_cursor_enter(x->cursor, x->err);
    while (st == TM_OK && (st = tm_json_cursor_element(x->cursor, x->err)) == TM_OK)
        st = depth <= NESTING_MAX ? read_trace(x, depth) : tm_json_cursor_skip(x->cursor, x->err);
    return st == TM_END ? TM_OK : st;
}

static enum tm_status read_document(struct tm_spans *x)
{
    enum tm_json_type type;
    enum tm_status st = tm_json_cursor_type(x->cursor, &type, x->err);
    if (st < 0)
        return st;
    return type == TM_JSON_ARRAY ? read_traces(x, 1) : read_trace(x, 0);
}

/* True if OBJECT lists processes by their ids: its first member has the name of a service. */
static bool is_processes(const struct tm_json_value *object)
{
    static const char *const names[] = {"servicename"};
    struct tm_json_scan scan = tm_spans_inside(object, TM_JSON_OBJECT);
    struct tm_json_value key, process, name;
    if (!tm_spans_next_member(&scan, &key, &process))
        return false;
    tm_spans_members(&process, names, 1, &name);
    return name.data != NULL;
}

/* Handles an object of a damaged text. Spans are pending until the processes of their trace are found, unless the
 * processes come first. */
static enum tm_status found(struct tm_spans *x, const struct tm_json_value *object, uint64_t byte)
{
    struct tm_json_value members[SPAN_MEMBERS];
    struct tm_span_id trace;
    enum tm_status st = TM_OK;
    if (is_processes(object)) {
        st = read_processes(x, object);
        return st < 0 || x->has_processes_first || x->cursor != &x->main ? st : show_pending(x);
    }
    tm_spans_members(object, span_names, SPAN_MEMBERS, members);
    if (members[TRACE_ID].data == NULL || members[SPAN_ID].data == NULL || members[START].data == NULL)
        return TM_END;
    if (x->cursor != &x->main || x->has_processes_first || members[PROCESS].data)
        return take_span(x, object, members, byte);
    tm_span_id_read(&trace, &members[TRACE_ID], TM_TRACE_ID_DIGITS);
    uint64_t hash = tm_hash64_seed(trace.text, trace.len, SEED_TRACE);
    if (hash != x->pending_trace && x->pending_trace)
        st = show_pending(x);
    x->pending_trace = hash;
    if (st == TM_OK && x->pending.end == 0)
        x->pending_byte = byte;
    return st < 0 ? st : tm_paged_file_write(&x->pending, x->pending.end, object->data, object->len, x->err);
}

const struct tm_spans_grammar tm_spans_jaeger = {
    .read = read_document,
    .found = found,
    .show_pending = show_pending,
    .begins = tm_spans_sniff_jaeger,
    .needs_later_text = true,
};
