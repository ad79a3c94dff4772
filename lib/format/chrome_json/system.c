#include "format/chrome_json/document.h"
#include "perfetto/recording_rows.h"

enum { LINE_MAX_BYTES = 1 << 20 };

/* Adds a row that states that the file has kernel data. An output that clips kernel data needs to know such files. */
static enum tm_status add_data_row(struct tm_json_document *doc, struct tm_error *err)
{
    static const char name[] = TM_ROW_FTRACE_DATA;
    struct tm_event row = {.kind = TM_KIND_METADATA,
                           .flags = TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED};
    doc->has_system = true;
    struct tm_buf *detail = &doc->rows.detail;
    tm_buf_clear(detail);
    enum tm_status st =
        tm_event_sink_string(doc->context.sink, tm_text_at(name, sizeof name - 1), detail, &row.name, err);
    row.detail = detail->data;
    row.detail_bytes = (uint32_t)detail->len;
    return st < 0 ? st : tm_event_sink_add(doc->context.sink, &row, err);
}

/* Adds the rows of a complete line of the string, which is in doc->text. */
static enum tm_status take_line(struct tm_json_document *doc, struct tm_error *err)
{
    struct tm_systrace_line line;
    const char *s = (const char *)doc->text.data;
    size_t len = doc->text.len;
    enum tm_status st = TM_OK;
    if (len && s[len - 1] == '\r')
        len--;
    if (len && s[0] != '#') {
        if (!doc->line_too_long && tm_systrace_line_parse(s, len, &line) == TM_OK) {
            st = tm_ftrace_text_add(&doc->system, &line, s, len, err);
            if (st >= 0 && !doc->has_system)
                st = add_data_row(doc, err);
        } else {
            doc->system_failures++;
            tm_json_count(&doc->damaged, &doc->first_damaged, 1, doc->context.input->offset);
        }
    }
    tm_buf_clear(&doc->text);
    doc->line_too_long = false;
    return st;
}

/* Adds a piece of the string to the line. A line beyond the limit is counted as damaged at its end. */
static enum tm_status take_text(struct tm_json_document *doc, const uint8_t *data, size_t len, struct tm_error *err)
{
    struct tm_json_value piece = {.data = data, .len = len, .type = TM_JSON_STRING};
    if (doc->text.len + len > LINE_MAX_BYTES)
        doc->line_too_long = true;
    else if (tm_json_unescape(&piece, &doc->text) != TM_OK)
        return tm_error_nomem(err);
    return TM_OK;
}

/* Returns the length of the escape at P: 2, 6, or 12 for a surrogate pair; 0: more bytes are needed. */
static size_t escape_length(const uint8_t *p, const uint8_t *end)
{
    size_t left = (size_t)(end - p);
    if (left < 2 || (p[1] == 'u' && left < 6))
        return 0;
    if (p[1] != 'u')
        return 2;
    bool high = (p[2] | 0x20) == 'd' && strchr("89abAB", p[3]) && p[3];
    if (!high || (left > 6 && p[6] != '\\') || (left > 7 && p[7] != 'u'))
        return 6;
    return left < 12 ? 0 : 12;
}

/* Handles the escape at SCAN's p. It ends the line or adds characters to it. */
static enum tm_json_status take_escape(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    uint8_t quoted[14] = {'"'};
    struct tm_json_value value;
    size_t n = escape_length(scan->p, scan->end);
    if (n == 0)
        return TM_JSON_MORE;
    memcpy(quoted + 1, scan->p, n);
    quoted[n + 1] = '"';
    struct tm_json_scan check = tm_json_scan_bytes(quoted, quoted + n + 2, true);
    if (tm_json_string(&check, &value) != TM_JSON_OK || value.len != n) {
        return tm_json_bad(scan, scan->p, "bad escape in a string");
    }
    enum tm_status st = scan->p[1] == 'n' ? take_line(doc, err) : take_text(doc, scan->p, n, err);
    scan->p += n;
    return st < 0 ? TM_JSON_CLOSE : TM_JSON_OK;
}

enum tm_json_status tm_json_system_step(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err)
{
    struct tm_input *in = doc->context.input;
    enum tm_json_status st = TM_JSON_OK;
    while (st == TM_JSON_OK && scan->p < scan->end) {
        const uint8_t *p = scan->p;
        while (p < scan->end && *p != '"' && *p != '\\' && *p >= 0x20)
            p++;
        if (take_text(doc, scan->p, (size_t)(p - scan->p), err) < 0)
            return TM_JSON_CLOSE;
        scan->p = p;
        if (p == scan->end)
            break;
        if (*p == '"') {
            if (take_line(doc, err) < 0)
                return TM_JSON_CLOSE;
            doc->place = TM_JSON_IN_KEYS;
            tm_input_skip(in, (size_t)(p + 1 - in->data));
            return TM_JSON_OK;
        }
        if (*p != '\\') {
            st = tm_json_bad(scan, p, "control character in a string");
            break;
        }
        st = take_escape(doc, scan, err);
    }
    if (st == TM_JSON_OK || st == TM_JSON_MORE) {
        tm_input_skip(in, (size_t)(scan->p - in->data));
        return TM_JSON_MORE;
    }
    return st;
}
