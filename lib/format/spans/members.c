#include "format/spans/members.h"

enum { NAME_MAX_BYTES = 40 };

size_t tm_spans_find(const char *const *names, size_t count, const struct tm_json_value *key)
{
    uint8_t text[NAME_MAX_BYTES + 1], resolved[NAME_MAX_BYTES + 1];
    const uint8_t *s = key->data;
    size_t len = key->len, n = 0, i;
    if (key->escaped) {
        len = tm_json_resolve(key, resolved, NAME_MAX_BYTES);
        s = resolved;
    }
    if (len > NAME_MAX_BYTES)
        return count;
    for (i = 0; i < len; i++)
        if (s[i] != '_')
            text[n++] = s[i] >= 'A' && s[i] <= 'Z' ? s[i] | 0x20 : s[i];
    text[n] = '\0';
    for (i = 0; i < count; i++)
        if (names[i][0] == (char)text[0] && strlen(names[i]) == n && memcmp(names[i], text, n) == 0)
            break;
    return i;
}

struct tm_json_scan tm_spans_inside(const struct tm_json_value *value, enum tm_json_type type)
{
    if (value->data == NULL || value->type != type)
        return (struct tm_json_scan){.ended = true};
    struct tm_json_scan scan = tm_json_scan_of(value);
    scan.p++;
    return scan;
}

bool tm_spans_next_member(struct tm_json_scan *scan, struct tm_json_value *key, struct tm_json_value *value)
{
    return scan->p && tm_json_key(scan, key) == TM_JSON_OK && tm_json_pass(scan, value) == TM_JSON_OK &&
           tm_json_comma(scan, '}') == TM_JSON_OK;
}

bool tm_spans_next_element(struct tm_json_scan *scan, struct tm_json_value *value)
{
    return scan->p && tm_json_space(scan) && *scan->p != ']' && tm_json_pass(scan, value) == TM_JSON_OK &&
           tm_json_comma(scan, ']') == TM_JSON_OK;
}

void tm_spans_members(const struct tm_json_value *object, const char *const *names, size_t count,
                      struct tm_json_value *values)
{
    struct tm_json_scan scan = tm_spans_inside(object, TM_JSON_OBJECT);
    struct tm_json_value key, value;
    memset(values, 0, count * sizeof *values);
    while (tm_spans_next_member(&scan, &key, &value)) {
        size_t i = tm_spans_find(names, count, &key);
        if (i < count && value.type != TM_JSON_NULL)
            values[i] = value;
    }
}
