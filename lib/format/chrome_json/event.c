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

/* Returns the field of KEY, or TM_JF_COUNT. */
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

struct member {
    uint32_t ordinal; /* its number in the event */
    enum tm_json_field field;
    struct tm_json_value value;
};

/* Reads the member at SCAN's p with its comma into MEMBER, whose ordinal is set. */
static inline enum tm_json_status read_member(struct tm_json_scan *scan, struct tm_json_event *event,
                                              struct tm_json_args *args, struct member *member)
{
    struct tm_json_value key;
    enum tm_json_status st;
    const uint8_t *start = scan->p;
    struct tm_json_recalled *slot = tm_json_recall_slot(&event->recall, start, scan->end, member->ordinal);
    enum tm_json_recall_match match = slot ? tm_json_recall_match(slot, scan, &member->value) : TM_JSON_RECALL_NONE;
    if (match == TM_JSON_RECALL_NONE && (st = tm_json_key(scan, &key)) != TM_JSON_OK)
        return st;
    member->field = match == TM_JSON_RECALL_NONE ? field_of(&key) : (enum tm_json_field)slot->tag;
    if (match == TM_JSON_RECALL_MEMBER)
        return TM_JSON_OK;
    const uint8_t *value_start = scan->p;
    if (member->field == TM_JF_ARGS && args && (*value_start == '{' || *value_start == '['))
        st = tm_json_args_read(args, "args", scan, &member->value);
    else
        st = tm_json_value(scan, &member->value);
    if (st == TM_JSON_OK && slot && (match == TM_JSON_RECALL_NONE || tm_json_recall_takes(slot))) {
        tm_json_recall_note(slot, start, value_start, &member->value, scan->p);
        slot->tag = (uint8_t)member->field;
    }
    return st == TM_JSON_OK ? tm_json_comma(scan, '}') : st;
}

enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args)
{
    enum tm_json_status st;
    event->raw = scan->p;
    event->fields = 0;
    event->empty = true;
    event->repeated = false;
    event->non_ascii = false;
    scan->p++;
    for (struct member member = {.ordinal = 0};; member.ordinal++) {
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if ((st = read_member(scan, event, args, &member)) != TM_JSON_OK)
            break;
        event->empty = false;
        event->non_ascii |= member.value.type == TM_JSON_STRING && member.value.non_ascii;
        if (member.field == TM_JF_COUNT)
            continue;
        uint32_t bit = UINT32_C(1) << member.field;
        event->value[member.field] = member.value;
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
