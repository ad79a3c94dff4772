#include "format/gecko/internal.h"

#include "base/hash.h"
#include "base/pb.h"
#include "stream/detail_fields.h"

enum { ARGS_GROWTH_MAX = 16 }; /* of TM_GECKO_ARGS_BYTES */
enum { MARKER_START = 0, MARKER_END = 8, MARKER_NAME = 16, MARKER_PHASE = 20, MARKER_CATEGORY = 24, MARKER_BYTES = 28 };

/* Older profiles have no phases: FIELD_TIME is the time, and FIELD_DATA determines the phase. */
enum { FIELD_START, FIELD_END, FIELD_NAME, FIELD_PHASE, FIELD_CATEGORY, FIELD_COUNT, FIELD_TIME = FIELD_COUNT,
       FIELD_DATA, SCHEMA_FIELDS };

static const struct tm_gecko_field marker_fields[SCHEMA_FIELDS] = {
    {TM_GP_MARKERS_START, "startTime", TM_GF_TIME, MARKER_START},
    {TM_GP_MARKERS_END, "endTime", TM_GF_TIME, MARKER_END},
    {TM_GP_MARKERS_NAME, "name", TM_GF_INDEX, MARKER_NAME},
    {TM_GP_MARKERS_PHASE, "phase", TM_GF_INDEX, MARKER_PHASE},
    {TM_GP_MARKERS_CATEGORY, "category", TM_GF_INDEX, MARKER_CATEGORY},
    {TM_GP_COUNT, "time", TM_GF_TIME, MARKER_START},
    {TM_GP_COUNT, "data", TM_GF_TIME, 0},
};
static const struct tm_gecko_table marker_table = {marker_fields, FIELD_COUNT, MARKER_BYTES, 0, 0, true};

enum phase { PHASE_INSTANT, PHASE_INTERVAL, PHASE_START, PHASE_END };

struct marker {
    bool has_start, has_end, has_name, has_category;
    int64_t start_ns, end_ns;
    uint32_t name, category;
    uint32_t phase; /* UINT32_MAX: the profile has none */
    struct tm_json_value data; /* length 0: none */
    bool has_args;             /* view->payload has the members of DATA */
    uint64_t byte;
};

/* Finds member NAME of the payload. */
static bool payload_find(const struct marker *m, const char *name, struct tm_json_value *value)
{
    struct tm_json_value key, v;
    if (m->data.type != TM_JSON_OBJECT || m->data.len == 0)
        return false;
    struct tm_json_scan scan = tm_json_scan_of(&m->data);
    scan.p++;
    while (tm_json_key(&scan, &key) == TM_JSON_OK && tm_json_pass(&scan, &v) == TM_JSON_OK &&
           tm_json_comma(&scan, '}') == TM_JSON_OK)
        if (tm_json_is(&key, name)) {
            *value = v;
            return true;
        }
    return false;
}

static bool payload_time(const struct marker *m, const char *name, int64_t *ns)
{
    struct tm_json_value v;
    uint8_t coded[8];
    if (!payload_find(m, name, &v))
        return false;
    tm_put_le64(coded, tm_gecko_field_value(TM_GF_TIME, &v));
    return tm_gecko_number_get(coded, ns);
}

/* Finds the phase in profiles without phases. A marker with both times in its payload is an interval. A "tracing"
 * marker is a begin or an end, as its payload states. All others are instants. Source: the profiler's
 * gecko-profile-versioning.js, version 19. */
static void find_phase(struct marker *m)
{
    struct tm_json_value type, interval;
    m->phase = PHASE_INSTANT;
    if (payload_time(m, "startTime", &m->start_ns) && payload_time(m, "endTime", &m->end_ns)) {
        m->phase = PHASE_INTERVAL;
        m->has_end = true;
    } else if (payload_find(m, "type", &type) && tm_json_is(&type, "tracing") &&
               payload_find(m, "interval", &interval)) {
        if (tm_json_is(&interval, "start"))
            m->phase = PHASE_START;
        else if (tm_json_is(&interval, "end")) {
            m->phase = PHASE_END;
            m->has_end = m->has_start;
            m->end_ns = m->start_ns;
        }
    }
}

/* Appends string I to OUT, or its front if the details of the file have used their budget. TM_END if there is none. */
static enum tm_status get_string(struct tm_gecko_view *view, uint32_t i, struct tm_buf *out)
{
    struct tm_detail_budget *budget = &view->sink->budget;
    const size_t max = tm_detail_budget_left(budget, SIZE_MAX), before = out->len;
    enum tm_status st = tm_gecko_strings_get(view->strings, i, max, out, view->err);
    budget->cut_count += out->len - before == max;
    return st;
}

/* Adds string I as an argument. If FIELD is a flow, also adds the flow, which continues or ends here. *DONE is false if
 * there is no such string. */
static enum tm_status put_string_arg(struct tm_gecko_view *view, const struct tm_json_value *key, uint32_t i,
                                     enum tm_gecko_string_field field, bool *done)
{
    size_t mark;
    tm_buf_clear(&view->text);
    enum tm_status st = get_string(view, i, &view->text);
    *done = st == TM_OK;
    if (st != TM_OK)
        return st < 0 ? st : TM_OK;
    tm_buf_clear(&view->message);
    if (tm_buf_add_str(&view->message, "data.") != TM_OK || tm_json_unescape(key, &view->message) != TM_OK ||
        tm_pb_begin(&view->detail, TM_DETAIL_ARGS, &mark) != TM_OK ||
        tm_pb_put_bytes(&view->detail, TM_ARG_KEY, view->message.data, view->message.len) != TM_OK ||
        tm_pb_put_bytes(&view->detail, TM_ARG_STRING, view->text.data, view->text.len) != TM_OK ||
        tm_pb_end(&view->detail, mark) != TM_OK)
        return tm_error_nomem(view->err);
    if (field != TM_GECKO_FIELD_STRING && view->text.len > 0 &&
        tm_pb_put_i64(&view->detail, field == TM_GECKO_FIELD_FLOW ? TM_DETAIL_FLOW_IDS : TM_DETAIL_TERMINATING_FLOW_IDS,
                      tm_hash64(view->text.data, view->text.len)) != TM_OK)
        return tm_error_nomem(view->err);
    return TM_OK;
}

/* Adds one member of the payload. If the schema declares its number to be that of a string, adds the string. */
static enum tm_status put_arg(struct tm_gecko_view *view, const struct tm_json_value *type,
                              const struct tm_json_value *key, const struct tm_json_value *value)
{
    uint64_t index = tm_gecko_field_value(TM_GF_INDEX, value);
    uint32_t field;
    bool done = false;
    enum tm_status st = TM_OK;
    if (index && tm_map_find(&view->process->string_fields,
                             tm_gecko_field_key(type->data, type->len, key->data, key->len), &field))
        st = put_string_arg(view, key, (uint32_t)(index - 1), (enum tm_gecko_string_field)field, &done);
    if (st < 0 || done)
        return st;
    tm_buf_clear(&view->message);
    if (tm_buf_add_str(&view->message, "data.") != TM_OK || tm_json_unescape(key, &view->message) != TM_OK)
        return tm_error_nomem(view->err);
    if (tm_json_args_value(&view->args, tm_text_at(view->message.data, view->message.len), value) < 0 ||
        tm_buf_add(&view->detail, view->args.detail.data, view->args.detail.len) != TM_OK)
        return tm_error_nomem(view->err);
    view->counts->args_cut += view->args.cut;
    return TM_OK;
}

/* True if the members of the payload, which is of TYPE, were read as arguments, and these are what adding one member
 * after the other would give: the schema declares none to be a number of a string, and no limit was reached. */
static bool has_all_args(const struct tm_gecko_view *view, const struct marker *m, const struct tm_json_value *type)
{
    const struct tm_json_args *args = &view->payload;
    uint32_t unused;
    return m->has_args && !args->no_memory && tm_json_args_size(args) <= TM_JSON_ARGS_BYTES_FREE &&
           !tm_map_find(&view->process->string_types, tm_hash64(type->data, type->len), &unused);
}

/* Adds the arguments of the payload to the detail. Sets *KEYS to the keys that they do not state. */
static enum tm_status put_args(struct tm_gecko_view *view, const struct marker *m, uint32_t *keys)
{
    struct tm_json_value type = {.data = (const uint8_t *)""}, key, value;
    enum tm_status st = TM_OK;
    if (!view->sink->want_detail || m->data.type != TM_JSON_OBJECT || m->data.len == 0)
        return TM_OK;
    if (view->process->string_types.count > 0)
        (void)payload_find(m, "type", &type);
    if (has_all_args(view, m, &type))
        return tm_buf_add(&view->detail, view->payload.detail.data, view->payload.detail.len) == TM_OK
                   ? tm_json_args_keys(&view->payload, &view->detail, keys, view->err)
                   : tm_error_nomem(view->err);
    const size_t detail_max = tm_detail_budget_left(&view->sink->budget, TM_GECKO_ARGS_BYTES) +
                              ARGS_GROWTH_MAX * m->data.len;
    struct tm_json_scan scan = tm_json_scan_of(&m->data);
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        if (view->detail.len > detail_max) {
            view->counts->args_cut++;
            return TM_OK;
        }
        st = put_arg(view, &type, &key, &value);
    }
    return st;
}

/* Sets the event's kind and times. TM_END: it has no time. */
static enum tm_status set_times(struct tm_gecko_view *view, const struct marker *m, struct tm_event *e)
{
    int64_t ns = m->start_ns;
    bool has_time = m->has_start;
    e->kind = TM_KIND_INSTANT;
    if (m->phase == PHASE_INTERVAL && m->has_start && m->has_end) {
        e->kind = TM_KIND_SLICE_COMPLETE;
        if (m->end_ns > m->start_ns) /* a marker that ends before it starts has no length */
            e->dur_ns = m->start_ns < 0 && m->end_ns > INT64_MAX + m->start_ns ? INT64_MAX : m->end_ns - m->start_ns;
    } else if (m->phase == PHASE_START) {
        e->kind = TM_KIND_SLICE_BEGIN;
    } else if (m->phase == PHASE_END) {
        e->kind = TM_KIND_SLICE_END;
        ns = m->has_end ? m->end_ns : m->start_ns;
        has_time = m->has_end || m->has_start;
    }
    if (!has_time)
        return TM_END;
    return tm_gecko_view_time(view, ns, &e->time_ns) ? TM_OK : TM_E_INPUT;
}

/* Adds the row of M, or accounts for what it lacks. */
static enum tm_status show(struct tm_gecko_view *view, struct marker *m)
{
    struct tm_event e = tm_gecko_view_event(view, TM_KIND_INSTANT);
    size_t len = 0;
    if (m->phase == UINT32_MAX)
        find_phase(m);
    tm_buf_clear(&view->name);
    tm_buf_clear(&view->category);
    enum tm_status st = set_times(view, m, &e);
    if (st != TM_OK) {
        tm_gecko_count(st == TM_END ? &view->counts->no_time : &view->counts->damaged, 1, m->byte);
        return TM_OK;
    }
    st = m->has_name ? get_string(view, m->name, &view->name) : TM_END;
    if (st != TM_OK) {
        tm_gecko_count(&view->counts->damaged, 1, m->byte);
        return st < 0 ? st : TM_OK;
    }
    const uint8_t *category = m->has_category ? tm_gecko_names_get(&view->process->categories, m->category, &len)
                                              : NULL;
    if (category && tm_buf_add(&view->category, category, len) != TM_OK)
        return tm_error_nomem(view->err);
    if ((st = tm_gecko_define(view, e.time_ns)) < 0 ||
        (st = tm_gecko_marker_track(view, &view->category, &view->name, &e.track)) < 0)
        return st;
    e.flags |= tm_event_scope_flags(TM_SCOPE_TRACK) | TM_EVENT_HAS_TRACK;
    tm_buf_clear(&view->detail);
    st = tm_event_sink_string(view->sink,
                              tm_text_given(view->name.data, view->name.len),
                              &view->detail, &e.name, view->err);
    if (st == TM_OK && len > 0)
        st = tm_event_sink_string(view->sink, tm_text_at(view->category.data, view->category.len), &view->detail,
                                  &e.category, view->err);
    if (st == TM_OK)
        st = put_args(view, m, &e.arg_keys);
    e.detail = view->detail.data;
    e.detail_bytes = (uint32_t)view->detail.len;
    return st < 0 ? st : tm_event_sink_add(view->sink, &e, view->err);
}

/* Sets M from the columns of a row, except the payload. */
static void from_row(const uint8_t *row, struct marker *m)
{
    m->has_start = tm_gecko_number_get(row + MARKER_START, &m->start_ns);
    m->has_end = tm_gecko_number_get(row + MARKER_END, &m->end_ns);
    m->has_name = tm_gecko_index_get(row + MARKER_NAME, &m->name);
    m->has_category = tm_gecko_index_get(row + MARKER_CATEGORY, &m->category);
    (void)tm_gecko_index_get(row + MARKER_PHASE, &m->phase);
}

/* Reads the payload at SCAN's p: a tm_json_value_reader. ARGS is a struct tm_json_args, which takes an object, or NULL.
 */
static enum tm_json_status read_payload(void *args, struct tm_json_scan *scan, struct tm_json_value *value)
{
    return args && *scan->p == '{' ? tm_json_args_read(args, "data", scan, value) : tm_json_value(scan, value);
}

/* Shows the markers of a preprocessed profile, whose payloads are one of the columns. */
static enum tm_status show_columns(struct tm_gecko_view *view, const struct tm_gecko_source *source)
{
    struct tm_json_args *args = view->sink->want_detail ? &view->payload : NULL;
    struct tm_gecko_reader reader;
    uint8_t row[MARKER_BYTES];
    bool has_data = tm_gecko_has(source->parts, TM_GP_MARKERS_DATA);
    uint32_t phase = tm_gecko_has(source->parts, TM_GP_MARKERS_PHASE) ? PHASE_INSTANT : UINT32_MAX;
    enum tm_status st = tm_gecko_rows_read(source, &marker_table, &view->rows, view->err);
    if (st < 0 || view->rows.count == 0)
        return st;
    tm_gecko_reader_init(&reader, source->text_file, source->parts, TM_GP_MARKERS_DATA);
    if (has_data && (st = tm_gecko_salvage(source, TM_GP_MARKERS_DATA, tm_json_cursor_enter(&reader.cursor, view->err),
                                           view->err)) == TM_END)
        has_data = false;
    for (uint32_t i = 0; st >= 0 && i < view->rows.count; i++) {
        struct marker m = {.byte = tm_gecko_view_byte(view, TM_GP_MARKERS_NAME), .phase = phase};
        if (has_data) {
            st = tm_json_cursor_element(&reader.cursor, view->err);
            if (st == TM_OK) {
                m.byte = reader.part.in.offset;
                st = tm_json_cursor_read(&reader.cursor, read_payload, args, &m.data, view->err);
                m.has_args = args && m.data.type == TM_JSON_OBJECT;
            }
            st = tm_gecko_salvage(source, TM_GP_MARKERS_DATA, st, view->err);
            has_data = st == TM_OK;
        }
        if (st >= 0)
            st = tm_gecko_row_get(&view->rows, &marker_table, i, row, view->err);
        from_row(row, &m);
        if (st >= 0)
            st = show(view, &m);
    }
    tm_gecko_reader_release(&reader);
    return st < 0 ? st : TM_OK;
}

/* Shows the markers of the Gecko format. */
static enum tm_status show_rows(struct tm_gecko_view *view, const struct tm_gecko_source *source)
{
    struct tm_gecko_reader reader;
    struct tm_gecko_schema schema;
    struct tm_gecko_cells cells;
    enum tm_json_type type;
    const struct tm_gecko_fields fields = {marker_fields, SCHEMA_FIELDS}, plain = {marker_fields, FIELD_DATA};
    enum tm_status st = tm_gecko_schema_read(source, TM_GP_MARKERS_SCHEMA, fields, &schema, view->err);
    if (st < 0)
        return st;
    tm_gecko_cells_init(&cells, plain, &schema);
    cells.object_column = schema.at[FIELD_DATA];
    cells.args = view->sink->want_detail ? &view->payload : NULL;
    tm_gecko_reader_init(&reader, source->text_file, source->parts, TM_GP_MARKERS_DATA);
    st = tm_json_cursor_enter(&reader.cursor, view->err);
    while (st == TM_OK && (st = tm_json_cursor_element(&reader.cursor, view->err)) == TM_OK) {
        struct marker m = {.byte = reader.part.in.offset};
        if ((st = tm_gecko_cells_read(&cells, &reader.cursor, &type, view->err)) != TM_OK)
            break;
        if (type != TM_JSON_ARRAY) {
            tm_gecko_count(&view->counts->damaged, 1, m.byte);
            continue;
        }
        from_row(cells.row, &m);
        m.data = cells.object;
        m.has_args = cells.has_args;
        st = show(view, &m);
    }
    st = tm_gecko_salvage(source, TM_GP_MARKERS_DATA, st, view->err);
    tm_gecko_reader_release(&reader);
    return st < 0 ? st : TM_OK;
}

enum tm_status tm_gecko_markers_show(struct tm_gecko_view *view)
{
    struct tm_gecko_source source = tm_gecko_view_source(view);
    if (!tm_gecko_has(source.parts, TM_GP_MARKERS_DATA) && !tm_gecko_has(source.parts, TM_GP_MARKERS_NAME))
        return TM_OK;
    return tm_gecko_has(source.parts, TM_GP_MARKERS_SCHEMA) ? show_rows(view, &source) : show_columns(view, &source);
}
