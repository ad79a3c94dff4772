/* Recognizes a format by the beginning of a file. Keys come in any order, so all visible keys of the first span are
 * considered. */
#include "format/spans/internal.h"

/* Consumes the character C. False: another one is next. */
static bool take(struct tm_json_scan *scan, char c)
{
    if (!tm_json_space(scan) || *scan->p != (uint8_t)c)
        return false;
    scan->p++;
    return true;
}

static bool is_next(struct tm_json_scan *scan, char c)
{
    return tm_json_space(scan) && *scan->p == (uint8_t)c;
}

static bool take_key(struct tm_json_scan *scan, struct tm_json_value *key)
{
    return tm_json_key(scan, key) == TM_JSON_OK;
}

static bool is_one_of(const struct tm_json_value *key, const char *const *names, size_t count)
{
    return tm_spans_find(names, count, key) < count;
}

bool tm_spans_sniff_otlp(const uint8_t *head, size_t len)
{
    static const char *const names[] = {"resourcespans", "resourcelogs", "resourcemetrics"};
    static const char *const inner[] = {"resource", "scopespans", "instrumentationlibraryspans"};
    struct tm_json_scan scan = tm_json_scan_bytes(head, head + len, false);
    struct tm_json_value key;
    (void)take(&scan, '[');
    if (!take(&scan, '{') || !take_key(&scan, &key))
        return false;
    if (is_one_of(&key, names, 3))
        return is_next(&scan, '[');
    return tm_spans_is(&key, "batches") && take(&scan, '[') && take(&scan, '{') && take_key(&scan, &key) &&
           is_one_of(&key, inner, 3);
}

/* Skips the value at SCAN's p and the comma after it, and reads the next key. */
static bool take_member(struct tm_json_scan *scan, struct tm_json_value *key)
{
    struct tm_json_value value;
    return tm_json_value(scan, &value) == TM_JSON_OK && tm_json_comma(scan, '}') == TM_JSON_OK && take_key(scan, key);
}

/* Accepts an answer with {"data":[{ and a trace, perhaps after other members; or a trace, or a list of traces. */
bool tm_spans_sniff_jaeger(const uint8_t *head, size_t len)
{
    static const char *const answer[] = {"limit", "total", "offset", "errors"};
    static const char *const members[] = {"traceid", "spans", "processes", "warnings"};
    static const char *const lists[] = {"spans", "processes"};
    struct tm_json_scan scan = tm_json_scan_bytes(head, head + len, false);
    struct tm_json_value key;
    (void)take(&scan, '[');
    if (!take(&scan, '{') || !take_key(&scan, &key))
        return false;
    if (tm_spans_is(&key, "traceid"))
        return take_member(&scan, &key) && is_one_of(&key, lists, 2);
    while (is_one_of(&key, answer, 4))
        if (!take_member(&scan, &key))
            return false;
    return tm_spans_is(&key, "data") && take(&scan, '[') && take(&scan, '{') && take_key(&scan, &key) &&
           is_one_of(&key, members, 4);
}

/* Accepts [{ or [[{ and keys of a span; keys of a Chrome JSON event must be absent. */
bool tm_spans_sniff_zipkin(const uint8_t *head, size_t len)
{
    enum { TRACE_ID = 1, ID = 2, OTHER = 4 };
    static const char *const names[] = {"traceid",        "id",          "parentid", "timestamp", "localendpoint",
                                        "remoteendpoint", "annotations", "shared",   "tags"};
    static const char *const foreign[] = {"ph", "ts", "pid", "tid", "spans"};
    struct tm_json_scan scan = tm_json_scan_bytes(head, head + len, false);
    struct tm_json_value key, value;
    unsigned seen = 0;
    if (!take(&scan, '['))
        return false;
    (void)take(&scan, '[');
    if (!take(&scan, '{'))
        return false;
    while (take_key(&scan, &key)) {
        size_t i = tm_spans_find(names, sizeof names / sizeof *names, &key);
        if (is_one_of(&key, foreign, sizeof foreign / sizeof *foreign))
            return false;
        seen |= i == 0 ? TRACE_ID : i == 1 ? ID : i < sizeof names / sizeof *names ? OTHER : 0;
        if (tm_json_value(&scan, &value) != TM_JSON_OK || tm_json_comma(&scan, '}') != TM_JSON_OK)
            break;
    }
    return seen == (TRACE_ID | ID | OTHER);
}
