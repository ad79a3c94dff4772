#include "format/chrome_json/event.h"

#include "base/decimal.h"

/* KEY is as long as TEXT, a literal. */
#define is(key, text) (memcmp((key)->data, text, sizeof text - 1) == 0)

static enum tm_json_field field_of(const struct tm_json_value *key);

/* Handles keys with escapes, which no known writer makes. */
static enum tm_json_field field_of_escaped(const struct tm_json_value *key)
{
    uint8_t name[TM_JSON_FIELD_NAME_MAX] = {0};
    struct tm_json_value plain = {.data = name, .len = tm_json_resolve(key, name, sizeof name), .type = TM_JSON_STRING};
    return plain.len <= sizeof name ? field_of(&plain) : TM_JF_COUNT;
}

/* The field of KEY, or TM_JF_COUNT. */
static inline enum tm_json_field field_of(const struct tm_json_value *key)
{
    if (key->escaped)
        return field_of_escaped(key);
    switch (key->len) {
    case 1:
        return key->data[0] == 's' ? TM_JF_S : TM_JF_COUNT;
    case 2:
        return is(key, "ph") ? TM_JF_PH : is(key, "ts") ? TM_JF_TS : is(key, "id") ? TM_JF_ID
             : is(key, "bp") ? TM_JF_BP : is(key, "sf") ? TM_JF_SF : TM_JF_COUNT;
    case 3:
        return is(key, "dur") ? TM_JF_DUR : is(key, "pid") ? TM_JF_PID : is(key, "tid") ? TM_JF_TID
             : is(key, "cat") ? TM_JF_CAT : is(key, "id2") ? TM_JF_ID2 : is(key, "tts") ? TM_JF_TTS : TM_JF_COUNT;
    case 4:
        return is(key, "name") ? TM_JF_NAME : is(key, "args") ? TM_JF_ARGS : is(key, "tdur") ? TM_JF_TDUR
                                                                                       : TM_JF_COUNT;
    case 5:
        return is(key, "scope") ? TM_JF_SCOPE : is(key, "stack") ? TM_JF_STACK : TM_JF_COUNT;
    case 7:
        return is(key, "bind_id") ? TM_JF_BIND_ID : is(key, "flow_in") ? TM_JF_FLOW_IN : TM_JF_COUNT;
    case 8:
        return is(key, "flow_out") ? TM_JF_FLOW_OUT : TM_JF_COUNT;
    default:
        return TM_JF_COUNT;
    }
}

enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args)
{
    struct tm_json_value key, other;
    enum tm_json_status st;
    event->raw = scan->p;
    event->fields = 0;
    event->empty = true;
    event->repeated = false;
    event->non_ascii = false;
    scan->p++;
    while ((st = tm_json_key(scan, &key)) == TM_JSON_OK) {
        enum tm_json_field field = field_of(&key);
        /* Only its address is taken. */
        /* cppcheck-suppress uninitvar */
        struct tm_json_value *value = field < TM_JF_COUNT ? &event->value[field] : &other;
        event->empty = false;
        if (field == TM_JF_ARGS && args && (*scan->p == '{' || *scan->p == '['))
            st = tm_json_args_read(args, "args", scan, value);
        else
            st = tm_json_value(scan, value);
        if (st != TM_JSON_OK || (st = tm_json_comma(scan, '}')) != TM_JSON_OK)
            return st;
        event->non_ascii |= value->type == TM_JSON_STRING && value->non_ascii;
        uint32_t bit = field < TM_JF_COUNT ? UINT32_C(1) << field : 0;
        event->repeated |= (event->fields & bit) != 0;
        event->fields |= bit;
    }
    event->raw_len = (size_t)(scan->p - event->raw);
    return st == TM_JSON_CLOSE ? TM_JSON_OK : st;
}

/* Parses up to 16 digits and a fraction of up to three: nearly all times have this form. */
static bool short_time(const uint8_t *p, size_t len, int64_t *ns)
{
    const uint8_t *end = p + len;
    const uint8_t *start = p;
    uint64_t v = 0;
    int fraction = 0;
    for (; p < end && (uint8_t)(*p - '0') < 10; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    if (p == start || p - start > 16)
        return false;
    if (p < end && *p == '.')
        for (p++; p < end && (uint8_t)(*p - '0') < 10 && fraction < 3; p++, fraction++)
            v = v * 10 + (uint64_t)(*p - '0');
    if (p != end)
        return false;
    for (; fraction < 3; fraction++)
        v *= 10;
    *ns = (int64_t)v;
    return v <= INT64_MAX;
}

enum tm_status tm_json_time(const struct tm_json_value *value, int64_t *ns)
{
    if (value->type != TM_JSON_NUMBER && (value->type != TM_JSON_STRING || value->escaped))
        return TM_E_INPUT;
    if (value->len <= 20 && short_time(value->data, value->len, ns))
        return TM_OK;
    return tm_decimal_scale((const char *)value->data, value->len, 3, ns);
}
