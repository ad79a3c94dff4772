#include "format/chrome_json/event.h"

#include "json/fast_path.h"
#include "json/number.h"

#include <stddef.h>

/* KEY is as long as TEXT, a literal. */
#define is(key, text) (memcmp((key)->data, text, sizeof text - 1) == 0)

void tm_json_event_init(struct tm_json_event *event)
{
    memset(event, 0, offsetof(struct tm_json_event, keys));
    tm_json_known_keys_init(&event->keys); /* a key that is learned clears its value */
}

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

/* VALUE_BYTES at a value must be readable for it to be read by one of the fast ways. */
enum { VALUE_BYTES = 64, NS_SCALE = 3 /* of times in microseconds */ };

/* The tag of a text that ends the object. */
enum { TAG_CLOSE = TM_JF_COUNT + 1 };

#define BIT(field) (UINT32_C(1) << (field))

/* The members that are times in microseconds. */
#define TIMES (BIT(TM_JF_TS) | BIT(TM_JF_DUR) | BIT(TM_JF_TTS) | BIT(TM_JF_TDUR))

#define PIDS (BIT(TM_JF_PID) | BIT(TM_JF_TID))

/* Takes the value of member FIELD at P from LAST if it is the same. Returns the byte after it, or NULL. */
static inline const uint8_t *recall_value(struct tm_json_event *event, enum tm_json_field field,
                                          struct tm_json_event_value *last, const uint8_t *p)
{
    if (!tm_json_known_text_is(&last->text, p))
        return NULL;
    event->value[field] = last->value;
    event->value[field].data = p + (*p == '"');
    event->slots[field] = last;
    event->converted[field] = last->converted;
    event->converted_fields |= (uint32_t)last->is_converted << field;
    return p + last->len;
}

/* Stores in LAST the value of member FIELD, which was read from START to AFTER, if it is short enough. VALUE_BYTES at
 * START are readable. */
static inline void note_value(struct tm_json_event *event, enum tm_json_field field, struct tm_json_event_value *last,
                              const uint8_t *start, const uint8_t *after)
{
    const struct tm_json_value *value = &event->value[field];
    size_t len = (size_t)(after - start), more = value->type != TM_JSON_STRING;
    event->slots[field] = NULL;
    if (len + more > TM_JSON_KNOWN_BYTES || value->type >= TM_JSON_ARRAY)
        return;
    tm_json_known_text_set(&last->text, start, len + more);
    last->len = (uint8_t)len;
    last->is_converted = false;
    last->value = *value;
    event->slots[field] = last;
}

/* Reads the string at P if it has no escapes and ends before END. Returns the byte after it, or NULL. */
static inline const uint8_t *read_plain(const uint8_t *p, const uint8_t *end, struct tm_json_value *value)
{
    bool non_ascii = false;
    const uint8_t *quote = tm_json_special(p + 1, end, &non_ascii);
    if (quote == end || *quote != '"')
        return NULL;
    *value = (struct tm_json_value){p + 1, (size_t)(quote - p - 1), TM_JSON_STRING, false, non_ascii};
    return quote + 1;
}

/* Reads a usual value of member FIELD, whose key has number KEY, at P: a number that is converted at once, a value like
 * the last one, or a string without escapes. VALUE_BYTES at P are readable. Returns the byte after it, or NULL. */
static inline const uint8_t *fast_value(struct tm_json_event *event, uint32_t key, enum tm_json_field field,
                                        const uint8_t *p, const uint8_t *end)
{
    struct tm_json_event_value *last = &event->values[key];
    const uint8_t *after = NULL;
    if (BIT(field) & TIMES)
        after = tm_json_fast_scaled(p, NS_SCALE, &event->converted[field]);
    else if (BIT(field) & PIDS)
        after = tm_json_fast_int(p, &event->converted[field]);
    if (after) {
        event->value[field] = (struct tm_json_value){p, (size_t)(after - p), TM_JSON_NUMBER, false, false};
        event->converted_fields |= BIT(field);
        return after;
    }
    event->converted_fields &= ~BIT(field);
    if (*p == '{' || *p == '[')
        return NULL;
    if ((after = recall_value(event, field, last, p)) != NULL)
        return after;
    if (*p == '"' && (after = read_plain(p, end, &event->value[field])) != NULL)
        note_value(event, field, last, p, after);
    return after;
}

/* Reads any value of member FIELD, whose key has number KEY, at SCAN's p. */
static enum tm_json_status scan_value(struct tm_json_scan *scan, struct tm_json_event *event, struct tm_json_args *args,
                                      uint32_t key, enum tm_json_field field)
{
    const uint8_t *start = scan->p;
    event->slots[field] = NULL;
    event->converted_fields &= ~BIT(field);
    if (field == TM_JF_ARGS && args && (*start == '{' || *start == '['))
        return tm_json_args_read(args, "args", scan, &event->value[field]);
    enum tm_json_status st = tm_json_value(scan, &event->value[field]);
    if (st == TM_JSON_OK && key && scan->end - start >= VALUE_BYTES)
        note_value(event, field, &event->values[key], start, scan->p);
    return st;
}

/* Scans and remembers the text at SCAN's p, which follows key *KEY, up to the next value. Sets *KEY to the number of
 * the key, 0 if it is not remembered, and *FIELD, to TM_JF_COUNT for a member that is not interpreted. TM_JSON_CLOSE:
 * the text ended the object. */
static enum tm_json_status scan_key(struct tm_json_scan *scan, struct tm_json_event *event, uint32_t *key,
                                    enum tm_json_field *field)
{
    const uint8_t *start = scan->p;
    uint32_t before = *key;
    struct tm_json_value name;
    bool is_new;
    enum tm_json_status st = event->empty ? TM_JSON_OK : tm_json_comma(scan, '}');
    if (st != TM_JSON_OK)
        return st;
    if (!tm_json_space(scan))
        return TM_JSON_MORE;
    st = tm_json_key(scan, &name);
    if (st != TM_JSON_OK && st != TM_JSON_CLOSE)
        return st;
    *field = st == TM_JSON_OK ? field_of(&name) : TM_JF_COUNT;
    *key = 0;
    if (scan->end - start < TM_JSON_KNOWN_BYTES)
        return st;
    *key = tm_json_known_keys_learn(&event->keys, before, tm_text_at(start, (size_t)(scan->p - start)),
                                    st == TM_JSON_OK ? (uint16_t)*field : TAG_CLOSE, &is_new);
    if (*key == 0)
        return st;
    if (is_new)
        event->values[*key] = (struct tm_json_event_value){.len = 0};
    if (is_new && event->keys.count == 1) /* all were forgotten: what this event has read is of other keys now */
        memset(event->slots, 0, sizeof event->slots);
    return st;
}

/* Reads the members of the object at SCAN's p, which is after its '{'. */
static enum tm_json_status read_members(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args)
{
    enum { ROOM = TM_JSON_KNOWN_BYTES + VALUE_BYTES };
    enum tm_json_status st;
    enum tm_json_field field;
    const uint8_t *p = scan->p, *end = scan->end, *after;
    uint32_t key = TM_JSON_KNOWN_START;
    for (;;) {
        bool is_inside = end - p >= ROOM;
        uint32_t next = is_inside ? tm_json_known_keys_next(&event->keys, key, p) : 0;
        const struct tm_json_known_key *known = &event->keys.keys[next];
        scan->p = p + known->len;
        if (next && known->tag == TAG_CLOSE)
            return TM_JSON_CLOSE;
        if (next && *scan->p > ' ') {
            key = next;
            field = (enum tm_json_field)known->tag;
        } else { /* also if there is more white space */
            scan->p = p;
            if ((st = scan_key(scan, event, &key, &field)) != TM_JSON_OK)
                return st;
            is_inside = key && end - scan->p >= VALUE_BYTES;
        }
        after = is_inside ? fast_value(event, key, field, scan->p, end) : NULL;
        if (after == NULL) {
            if ((st = scan_value(scan, event, args, key, field)) != TM_JSON_OK)
                return st;
            after = scan->p;
        }
        p = after;
        event->empty = false;
        event->non_ascii |= event->value[field].non_ascii;
        event->repeated_fields |= event->fields & BIT(field);
        event->fields |= BIT(field);
    }
}

enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args)
{
    event->raw = scan->p++;
    event->fields = 0;
    event->repeated_fields = 0;
    event->converted_fields = 0;
    event->empty = true;
    event->non_ascii = false;
    enum tm_json_status st = read_members(scan, event, args);
    event->fields &= ~BIT(TM_JF_COUNT);
    event->repeated = (event->repeated_fields & ~BIT(TM_JF_COUNT)) != 0;
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
    if (tm_json_is_scalar(value) && value->len <= 20 && short_time(value->data, value->len, ns))
        return TM_OK;
    return tm_json_decimal(value, NS_SCALE, ns);
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
