#include "format/chrome_json/document.h"

#include "json/number.h"

/* Adds the member's text as a METADATA row, which a JSON output writes again. */
static enum tm_status add_member(struct tm_json_document *doc, const struct tm_json_value *key, const uint8_t *raw,
                                 size_t len, struct tm_error *err)
{
    struct tm_event_sink *sink = doc->context.sink;
    struct tm_event event = {.kind = TM_KIND_METADATA, .raw = raw, .raw_bytes = (uint32_t)len,
                             .flags = TM_EVENT_UNTIMED | TM_EVENT_DEFINITION | tm_event_raw_flags(TM_RAW_JSON)};
    const uint8_t *name;
    size_t name_len;
    if (!tm_json_text(key, &doc->text, &name, &name_len))
        return tm_error_nomem(err);
    tm_buf_clear(&doc->rows.detail);
    enum tm_status st = tm_event_sink_string(sink, tm_text_at(name, name_len), &doc->rows.detail, &event.name, err);
    event.detail = doc->rows.detail.data;
    event.detail_bytes = (uint32_t)doc->rows.detail.len;
    tm_buf_clear(&doc->text);
    return st < 0 ? st : tm_event_sink_add(sink, &event, err);
}

/* Counts the elements of the top-level member "samples". Only JSON outputs show them, so nothing is counted if no other
 * output follows. */
static void note_samples(struct tm_json_document *doc, const struct tm_json_value *key,
                         const struct tm_json_value *value)
{
    struct tm_json_value element;
    struct tm_json_scan scan = tm_json_scan_of(value);
    uint64_t count = 0;
    if (!tm_json_is(key, "samples") || value->type != TM_JSON_ARRAY || !doc->context.sink->want_json_detail)
        return;
    scan.p++;
    while (tm_json_element(&scan, &element) == TM_JSON_OK)
        count++;
    tm_json_count(&doc->samples, &doc->first_samples, count, doc->context.input->offset);
}

/* Adds one member of "metadata" as a row of the metadata table, json_metadata.KEY. */
static enum tm_status put_metadata(struct tm_json_document *doc, const struct tm_json_value *key,
                                   const struct tm_json_value *value, struct tm_error *err)
{
    Tracemerge__Metadata row = TRACEMERGE__METADATA__INIT;
    const uint8_t *s = value->data;
    size_t len = value->len;
    bool is_double = true;
    uint64_t bits = 0;
    tm_buf_clear(&doc->text);
    if (tm_buf_add_str(&doc->text, "json_metadata.") != TM_OK || tm_json_unescape(key, &doc->text) != TM_OK)
        return tm_error_nomem(err);
    if (value->type == TM_JSON_NULL)
        return TM_OK;
    if (value->type == TM_JSON_TRUE || value->type == TM_JSON_FALSE) {
        is_double = false;
        bits = value->type == TM_JSON_TRUE;
    } else if (value->type == TM_JSON_NUMBER && !tm_json_number(s, len, &is_double, &bits)) {
        is_double = true;
    }
    if (value->type == TM_JSON_STRING && !tm_json_text(value, &doc->rows.scratch, &s, &len))
        return tm_error_nomem(err);
    row.name = tm_bytes(doc->text.data, doc->text.len);
    row.value_case = is_double ? TRACEMERGE__METADATA__VALUE_STR_VALUE : TRACEMERGE__METADATA__VALUE_INT_VALUE;
    if (is_double)
        row.str_value = tm_bytes(s, len);
    else
        row.int_value = (int64_t)bits;
    row.has_file = true;
    row.file = doc->context.sink->file;
    enum tm_status st = tm_event_sink_message(doc->context.sink, TM_FRAME_METADATA, &row.base, err);
    tm_buf_clear(&doc->text);
    return st;
}

/* Reads a member of the outer object: makes metadata rows and clock hints. */
static enum tm_status read_member(struct tm_json_document *doc, const struct tm_json_value *key,
                                  const struct tm_json_value *value, struct tm_error *err)
{
    struct tm_json_value k, v;
    if (tm_json_is(key, "displayTimeUnit"))
        doc->display_time_unit = true;
    enum tm_status st = tm_json_hint(doc, key, value, err);
    if (st < 0 || !tm_json_is(key, "metadata") || value->type != TM_JSON_OBJECT)
        return st;
    struct tm_json_scan scan = tm_json_scan_of(value);
    scan.p++;
    while (st >= 0 && tm_json_member(&scan, &k, &v) == TM_JSON_OK)
        st = put_metadata(doc, &k, &v, err);
    return st;
}

/* Enters traceEvents and systemTraceEvents. Adds any other member as a row once its value is complete. SCAN is at the
 * value, RAW at the key's quote. */
static enum tm_json_status take_member(struct tm_json_document *doc, const struct tm_json_value *key,
                                       const uint8_t *raw, struct tm_json_scan *scan, struct tm_error *err)
{
    struct tm_input *in = doc->context.input;
    struct tm_json_value value;
    bool events = tm_json_is(key, "traceEvents"), system = tm_json_is(key, "systemTraceEvents");
    if (events && *scan->p != '[')
        return tm_json_bad(scan, scan->p, "traceEvents is not an array");
    if (events || (system && *scan->p == '"')) {
        doc->place = events ? TM_JSON_IN_EVENTS : TM_JSON_IN_SYSTEM;
        doc->has_events = true;
        tm_buf_clear(&doc->text);
        tm_input_skip(in, (size_t)(scan->p + 1 - in->data));
        return TM_JSON_OK;
    }
    doc->has_members = true;
    const uint8_t *start = scan->p;
    bool large = scan->end - start > TM_JSON_TOP_BYTES_MAX;
    if (large)
        *scan = tm_json_scan_bytes(start, start + TM_JSON_TOP_BYTES_MAX, false);
    enum tm_json_status st = tm_json_value(scan, &value);
    if (st == TM_JSON_MORE && large) {
        doc->place = TM_JSON_IN_LARGE;
        doc->depth = 0;
        doc->in_string = doc->after_backslash = false;
        tm_json_count(&doc->too_large, &doc->first_too_large, 1, in->offset);
        tm_input_skip(in, (size_t)(start - in->data));
        return TM_JSON_OK;
    }
    if (st != TM_JSON_OK)
        return st;
    note_samples(doc, key, &value);
    if (add_member(doc, key, raw, (size_t)(scan->p - raw), err) < 0 || read_member(doc, key, &value, err) < 0)
        return TM_JSON_CLOSE;
    tm_input_skip(in, (size_t)(scan->p - in->data));
    return TM_JSON_OK;
}

enum tm_json_status tm_json_top_step(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    struct tm_input *in = doc->context.input;
    struct tm_json_value key;
    bool more = tm_json_space(scan);
    while (more && *scan->p == ',') {
        scan->p++;
        more = tm_json_space(scan);
    }
    tm_input_skip(in, (size_t)(scan->p - in->data));
    if (!more)
        return TM_JSON_MORE;
    const uint8_t *raw = scan->p;
    enum tm_json_status st = tm_json_key(scan, &key);
    if (st == TM_JSON_CLOSE) {
        doc->place = TM_JSON_DONE;
        tm_input_skip(in, 1);
        return TM_JSON_OK;
    }
    return st == TM_JSON_OK ? take_member(doc, &key, raw, scan, err) : st;
}

/* Skips a value that is too large to add. Looks only at quotes and brackets. */
enum tm_json_status tm_json_large_step(struct tm_json_document *doc, struct tm_json_scan *scan)
{
    const uint8_t *p = scan->p;
    bool done = false;
    for (; p < scan->end; p++) {
        if (doc->in_string) {
            if (doc->after_backslash)
                doc->after_backslash = false;
            else if (*p == '\\')
                doc->after_backslash = true;
            else if (*p == '"')
                doc->in_string = false;
        } else if (*p == '"') {
            doc->in_string = true;
        } else if (*p == '{' || *p == '[') {
            doc->depth++;
        } else if (doc->depth && (*p == '}' || *p == ']')) {
            doc->depth--;
        } else if (doc->depth == 0 && (*p == ',' || *p == '}')) {
            done = true;
            break;
        }
    }
    struct tm_input *in = doc->context.input;
    tm_json_count(&doc->skipped_bytes, &doc->first_skipped, (uint64_t)(p - in->data), in->offset);
    tm_input_skip(in, (size_t)(p - in->data));
    if (!done)
        return TM_JSON_MORE;
    doc->place = TM_JSON_IN_KEYS;
    return TM_JSON_OK;
}
