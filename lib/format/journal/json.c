#include "format/journal/internal.h"
#include "format/journal/journal.h"
#include "json/scan.h"

static const char too_large[] = "an entry of the journal is larger than the limit of 16 MiB";

enum { FIRST_LOOK = 4096, RECORD_SEPARATOR = 0x1e /* RFC 7464: before each object of json-seq */ };

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == RECORD_SEPARATOR;
}

/* Skips what precedes an object: white space, and "data:" in json-sse. */
static const uint8_t *skip_front(const uint8_t *p, const uint8_t *end)
{
    static const char data[] = "data:";
    while (p < end) {
        if (is_space(*p))
            p++;
        else if ((size_t)(end - p) >= sizeof data - 1 && memcmp(p, data, sizeof data - 1) == 0)
            p += sizeof data - 1;
        else
            break;
    }
    return p;
}

/* Copies ARRAY to BYTES if all its elements are bytes, which is how journalctl writes binary values. False: it has
 * other elements. */
static bool is_binary(const struct tm_json_value *array, struct tm_buf *bytes, enum tm_status *st)
{
    struct tm_json_scan scan = tm_json_scan_of(array);
    struct tm_json_value element;
    struct tm_text digits;
    int64_t byte;
    tm_buf_clear(bytes);
    scan.p++;
    while (*st == TM_OK && tm_json_element(&scan, &element) == TM_JSON_OK) {
        digits = tm_text_at(element.data, element.len);
        if (element.type != TM_JSON_NUMBER || !tm_text_int(digits, &byte) || byte < 0 || byte > UINT8_MAX)
            return false;
        *st = tm_buf_add_byte(bytes, (uint8_t)byte);
    }
    return true;
}

static enum tm_status add_value(struct tm_journal_entry *entry, struct tm_text name, const struct tm_json_value *value,
                                struct tm_buf *scratch)
{
    const uint8_t *data;
    size_t len;
    enum tm_status st = TM_OK;
    if (value->type == TM_JSON_NULL) { /* journalctl leaves out values that are too long */
        entry->left_out++;
        return TM_OK;
    }
    if (value->type == TM_JSON_ARRAY) {
        if (!is_binary(value, scratch, &st) || st < 0)
            return st;
        data = scratch->len ? scratch->data : (const uint8_t *)"";
        return tm_journal_entry_add(entry, name, data, scratch->len);
    }
    if (value->type != TM_JSON_STRING)
        return tm_journal_entry_add(entry, name, value->data, value->len);
    return tm_json_text(value, scratch, &data, &len) ? tm_journal_entry_add(entry, name, data, len) : TM_E_SYSTEM;
}

/* Adds a field. A repeated field is an array of its values. */
static enum tm_status add_member(struct tm_journal_entry *entry, struct tm_text name, const struct tm_json_value *value,
                                 struct tm_buf *scratch)
{
    struct tm_json_value element;
    enum tm_status st = TM_OK;
    struct tm_json_scan scan = tm_json_scan_of(value);
    if (value->type != TM_JSON_ARRAY)
        return add_value(entry, name, value, scratch);
    scan.p++;
    if (tm_json_element(&scan, &element) != TM_JSON_OK || element.type == TM_JSON_NUMBER)
        return add_value(entry, name, value, scratch);
    do
        st = add_value(entry, name, &element, scratch);
    while (st == TM_OK && tm_json_element(&scan, &element) == TM_JSON_OK);
    return st;
}

static enum tm_status add_members(struct tm_journal_entry *entry, const struct tm_json_value *object)
{
    struct tm_json_scan scan = tm_json_scan_of(object);
    struct tm_json_value key, value;
    struct tm_buf scratch = {0};
    enum tm_status st = TM_OK;
    scan.p++;
    while (st == TM_OK && tm_json_member(&scan, &key, &value) == TM_JSON_OK) {
        struct tm_text name = {key.data, key.len};
        if (tm_journal_is_field(name))
            st = add_member(entry, name, &value, &scratch);
    }
    tm_buf_release(&scratch);
    return st;
}

static enum tm_status json_read(struct tm_input *in, struct tm_journal_entry *entry, size_t *size, const char **cause,
                                struct tm_error *err)
{
    struct tm_json_value object;
    tm_journal_entry_clear(entry);
    for (size_t want = FIRST_LOOK;; want = in->len < FIRST_LOOK ? FIRST_LOOK : in->len * 2) {
        enum tm_status st = tm_input_fill(in, want, err);
        if (st < 0)
            return st;
        bool ended = st == TM_END;
        const uint8_t *end = in->data + in->len, *p = skip_front(in->data, end);
        tm_input_skip(in, (size_t)(p - in->data));
        if (p == end && ended)
            return TM_END;
        struct tm_json_scan scan = tm_json_scan_bytes(p, end, ended);
        enum tm_json_status found = p == end ? TM_JSON_MORE : *p == '{' ? tm_json_value(&scan, &object) : TM_JSON_BAD;
        if (found == TM_JSON_OK && scan.p - p <= TM_JOURNAL_ENTRY_MAX) {
            *size = (size_t)(scan.p - in->data);
            return add_members(entry, &object) < 0 ? tm_error_nomem(err) : TM_OK;
        }
        *cause = found == TM_JSON_BAD             ? "not an entry of a journal"
                 : found == TM_JSON_OK            ? too_large
                 : ended                          ? "the last entry of the journal is cut short"
                 : in->len > TM_JOURNAL_ENTRY_MAX ? too_large
                                                  : NULL;
        if (*cause)
            return TM_E_INPUT;
    }
}

/* Finds an object at the beginning of a line. */
static bool json_find(const uint8_t **p, const uint8_t *end)
{
    const uint8_t *line;
    while ((line = memchr(*p, '\n', (size_t)(end - *p))) != NULL) {
        const uint8_t *object = skip_front(line, end);
        if (object == end) {
            *p = line;
            return false;
        }
        *p = object;
        if (*object == '{')
            return true;
    }
    *p = end;
    return false;
}

/* True if the first names are valid field names, and journald writes one of them. */
bool tm_journal_json_sniff(const uint8_t *head, size_t len)
{
    static const char *const known[] = {"MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "SYSLOG_FACILITY", "MESSAGE_ID"};
    const uint8_t *end = head + len, *p = skip_front(head, end);
    struct tm_json_scan scan = tm_json_scan_bytes(p, end, false);
    struct tm_json_value key, value;
    bool is_known = false;
    if (p == end || *scan.p++ != '{')
        return false;
    while (tm_json_key(&scan, &key) == TM_JSON_OK) {
        struct tm_text name = {key.data, key.len};
        if (!tm_journal_is_field(name))
            return false;
        is_known |= name.data[0] == '_';
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= tm_json_is(&key, known[i]);
        if (tm_json_value(&scan, &value) != TM_JSON_OK || tm_json_comma(&scan, '}') != TM_JSON_OK)
            break;
    }
    return is_known;
}

const struct tm_journal_syntax tm_journal_json = {json_read, json_find};
