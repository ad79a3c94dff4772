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

enum { TIME_BYTES = 48 /* fast_time may load so many bytes */, TIME_DIGITS = 15, TIME_FRACTION = 3 };

/* The members that are times in microseconds. */
#define TIMES                                                                                                          \
    (UINT32_C(1) << TM_JF_TS | UINT32_C(1) << TM_JF_DUR | UINT32_C(1) << TM_JF_TTS | UINT32_C(1) << TM_JF_TDUR)

#if TM_HAS_BYTES16
/* Returns the number of digits at P, at most 16. */
static inline unsigned count_digits(const uint8_t *p)
{
    return tm_trailing_zeros(~(uint64_t)tm_bytes16_mask(tm_bytes16_digits(tm_bytes16_load(p))));
}

/* Reads the number at P if it has up to TIME_DIGITS digits and a fraction of up to TIME_FRACTION digits, as nearly all
 * times have. TIME_BYTES at P are readable. Sets *NS to 1000 times the number. Returns the byte after the number, or
 * NULL. */
static inline const uint8_t *fast_time(const uint8_t *p, uint64_t *ns)
{
    static const uint16_t units[TIME_FRACTION + 1] = {0, 100, 10, 1};
    unsigned whole = count_digits(p), fraction = 0;
    if (whole - 1 >= TIME_DIGITS || (whole > 1 && *p == '0'))
        return NULL;
    uint64_t v = whole > 8 ? tm_decimal_short(p, whole - 8) * 100000000 + tm_decimal_short(p + whole - 8, 8)
                           : tm_decimal_short(p, whole);
    p += whole;
    if (*p == '.') {
        fraction = count_digits(++p);
        if (fraction - 1 >= TIME_FRACTION)
            return NULL;
        *ns = v * 1000 + tm_decimal_short(p, fraction) * units[fraction];
        p += fraction;
    } else {
        *ns = v * 1000;
    }
    return (*p | 0x20) == 'e' ? NULL : p;
}
#else
static inline const uint8_t *fast_time(const uint8_t *p, uint64_t *ns)
{
    (void)p;
    (void)ns;
    return NULL;
}
#endif

/* Reads the value of member FIELD at SCAN's p. */
static inline enum tm_json_status read_value(struct tm_json_scan *scan, struct tm_json_event *event,
                                             struct tm_json_args *args, enum tm_json_field field)
{
    const uint8_t *start = scan->p, *after;
    if (field == TM_JF_ARGS && args && (*start == '{' || *start == '['))
        return tm_json_args_read(args, "args", scan, &event->value[field]);
    if (TIMES >> field & 1 && scan->end - start >= TIME_BYTES &&
        (after = fast_time(start, &event->converted[field])) != NULL) {
        event->value[field] = (struct tm_json_value){start, (size_t)(after - start), TM_JSON_NUMBER, false, false};
        event->converted_fields |= UINT32_C(1) << field;
        scan->p = after;
        return TM_JSON_OK;
    }
    return tm_json_value(scan, &event->value[field]);
}

/* Reads the member at SCAN's p, number ORDINAL of its object, with its comma into EVENT. *FIELD is TM_JF_COUNT for a
 * member that is not interpreted. */
static inline enum tm_json_status read_member(struct tm_json_scan *scan, struct tm_json_event *event,
                                              struct tm_json_args *args, uint32_t ordinal, enum tm_json_field *field)
{
    struct tm_json_value key;
    enum tm_json_status st;
    enum tm_json_recall_match match = TM_JSON_RECALL_NONE;
    const uint8_t *start = scan->p;
    struct tm_json_recalled *slot = tm_json_recall_slot(&event->recall, start, scan->end, ordinal);
    if (slot) {
        *field = (enum tm_json_field)slot->tag;
        match = tm_json_recall_match(slot, scan, &event->value[*field]);
    }
    if (match == TM_JSON_RECALL_MEMBER) {
        event->slots[*field] = slot;
        event->converted[*field] = slot->converted;
        event->converted_fields = (event->converted_fields & ~(UINT32_C(1) << *field)) | (uint32_t)slot->is_converted
                                                                                             << *field;
        return TM_JSON_OK;
    }
    if (match == TM_JSON_RECALL_NONE) {
        if ((st = tm_json_key(scan, &key)) != TM_JSON_OK)
            return st;
        *field = field_of(&key);
    }
    const uint8_t *value_start = scan->p;
    event->converted_fields &= ~(UINT32_C(1) << *field);
    event->slots[*field] = NULL;
    if ((st = read_value(scan, event, args, *field)) != TM_JSON_OK)
        return st;
    if (slot && (match == TM_JSON_RECALL_NONE || tm_json_recall_takes(slot))) {
        tm_json_recall_note(slot, start, value_start, &event->value[*field], scan->p);
        slot->tag = (uint8_t)*field;
        event->slots[*field] = slot;
        if (event->converted_fields >> *field & 1)
            tm_json_event_keep(event, *field, event->converted[*field]);
    }
    return tm_json_comma(scan, '}');
}

enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args)
{
    enum tm_json_status st;
    event->raw = scan->p;
    event->fields = 0;
    event->converted_fields = 0;
    event->empty = true;
    event->repeated = false;
    event->non_ascii = false;
    scan->p++;
    enum tm_json_field field = TM_JF_COUNT;
    for (uint32_t ordinal = 0;; ordinal++) {
        if (!tm_json_space(scan))
            return TM_JSON_MORE;
        if ((st = read_member(scan, event, args, ordinal, &field)) != TM_JSON_OK)
            break;
        event->empty = false;
        event->non_ascii |= event->value[field].type == TM_JSON_STRING && event->value[field].non_ascii;
        if (field == TM_JF_COUNT)
            continue;
        uint32_t bit = UINT32_C(1) << field;
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

enum tm_status tm_json_event_time(const struct tm_json_event *event, enum tm_json_field field, int64_t *ns)
{
    uint64_t v;
    if (tm_json_event_converted(event, field, &v)) {
        *ns = (int64_t)v;
        return TM_OK;
    }
    enum tm_status st = tm_json_time(&event->value[field], ns);
    if (st == TM_OK)
        tm_json_event_keep(event, field, (uint64_t)*ns);
    return st;
}
