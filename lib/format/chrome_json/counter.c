#include "format/chrome_json/internal.h"

#include "base/hex.h"
#include "base/pb.h"
#include "json/number.h"

#include <stdlib.h>

/* Writes the prefix of the counters' names: "NAME ", or "NAME id: ID " if the id is a string. */
static enum tm_status put_prefix(struct tm_json_row_builder *w, struct tm_buf *name)
{
    const struct tm_json_value *v = tm_json_event_of(w->json, TM_JF_NAME, TM_JSON_STRING);
    const struct tm_json_value *id = tm_json_event_of(w->json, TM_JF_ID, TM_JSON_STRING);
    tm_buf_clear(name);
    if (v && tm_json_unescape(v, name) != TM_OK)
        return tm_error_nomem(w->err);
    if (id && id->len && (tm_buf_add_str(name, " id: ") != TM_OK || tm_json_unescape(id, name) != TM_OK))
        return tm_error_nomem(w->err);
    return tm_buf_add_byte(name, ' ') == TM_OK ? TM_OK : tm_error_nomem(w->err);
}

/* Converts V, a text such as "-0xff", as tm_json_number converts a number. At most 16 digits. Larger and fractional
 * hexadecimal numbers are those of read_double. */
static bool read_hex(const struct tm_json_value *v, bool *is_double, uint64_t *bits)
{
    size_t sign = v->len > 0 && (v->data[0] == '-' || v->data[0] == '+'), head = sign + 2;
    bool is_negative = sign && v->data[0] == '-';
    uint64_t n = 0;
    if (v->type != TM_JSON_STRING || v->len <= head || v->len > head + 16 || v->data[sign] != '0' ||
        (v->data[sign + 1] != 'x' && v->data[sign + 1] != 'X'))
        return false;
    for (size_t i = head; i < v->len; i++) {
        int digit = tm_hex_value(v->data[i]);
        if (digit < 0)
            return false;
        n = n << 4 | (uint64_t)digit;
    }
    *is_double = n > INT64_MAX;
    *bits = *is_double ? tm_pb_bits(is_negative ? -(double)n : (double)n) : is_negative ? 0 - n : n;
    return true;
}

/* Converts V, the text of a number as C's strtod takes it: after white space, "inf" and "nan" among them. A number out
 * of range is infinite. TM_OK; TM_END: it is no such text; TM_E_SYSTEM. */
static enum tm_status read_double(struct tm_buf *scratch, const struct tm_json_value *v, uint64_t *bits)
{
    char *end;
    tm_buf_clear(scratch);
    if (tm_json_unescape(v, scratch) != TM_OK)
        return TM_E_SYSTEM;
    const char *text = tm_buf_cstr(scratch);
    if (text == NULL)
        return TM_E_SYSTEM;
    *bits = tm_pb_bits(strtod(text, &end));
    return end != text && *end == '\0' ? TM_OK : TM_END;
}

/* Reads the value of a counter's argument: a number, a word for one that is not finite, or a string that holds either.
 * TM_OK; TM_END: it is none of these; TM_E_SYSTEM. */
static enum tm_status read_value(struct tm_json_row_builder *w, const struct tm_json_value *v)
{
    bool is_double = true;
    enum tm_status st = TM_OK;
    if (!tm_json_is_scalar(v) && v->type != TM_JSON_NOT_FINITE)
        return TM_END;
    if (!tm_json_number(v->data, v->len, &is_double, &w->event.value) && !read_hex(v, &is_double, &w->event.value)) {
        is_double = true;
        st = read_double(&w->rows->scratch, v, &w->event.value);
    }
    w->event.flags = (w->event.flags & ~(uint32_t)TM_EVENT_VALUE_DOUBLE) | TM_EVENT_HAS_VALUE |
                     (is_double ? (uint32_t)TM_EVENT_VALUE_DOUBLE : 0);
    return st;
}

static enum tm_status add_value(struct tm_json_row_builder *w, const struct tm_json_value *key, size_t prefix_len)
{
    struct tm_buf *name = &w->rows->name;
    name->len = prefix_len;
    tm_buf_clear(&w->rows->detail);
    if (tm_json_unescape(key, name) != TM_OK)
        return tm_error_nomem(w->err);
    enum tm_status st = tm_json_row_builder_intern(w, name->data, name->len, &w->event.name);
    return st < 0 ? st : tm_json_row_builder_add(w);
}

enum tm_status tm_json_counter(struct tm_json_row_builder *w)
{
    const struct tm_json_value *args = tm_json_event_of(w->json, TM_JF_ARGS, TM_JSON_OBJECT);
    struct tm_json_value key, value;
    uint64_t rows = 0;
    enum tm_status st = put_prefix(w, &w->rows->name);
    size_t prefix_len = w->rows->name.len;
    struct tm_event plain = w->event;
    w->event.kind = TM_KIND_COUNTER;
    w->event.flags |= tm_event_scope_flags(TM_SCOPE_PROCESS) | TM_EVENT_HAS_PID | TM_EVENT_HAS_TID;
    if (st >= 0 && args) {
        struct tm_json_scan scan = tm_json_scan_of(args);
        scan.p++;
        while (st >= 0 && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
            const enum tm_status read = read_value(w, &value);
            if (read < 0)
                return tm_error_nomem(w->err);
            if (read == TM_END) {
                w->rows->parser_failures++;
                continue;
            }
            if (rows++ == 1) {
                w->event.flags = (w->event.flags & ~TM_EVENT_RAW_MASK) | TM_EVENT_DERIVED;
                w->event.raw_bytes = 0;
            }
            st = add_value(w, &key, prefix_len);
        }
    }
    if (st < 0 || rows)
        return st;
    w->rows->parser_failures += args == NULL;
    w->event = plain;
    tm_json_row_builder_default(w);
    return tm_json_row_builder_add(w);
}
