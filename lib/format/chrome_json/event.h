/* One object of traceEvents; a single pass finds its members. Source: the Trace Event Format document, and Perfetto's
 * reading of it for optional parts. */
#ifndef TM_FORMAT_CHROME_JSON_EVENT_H
#define TM_FORMAT_CHROME_JSON_EVENT_H

#include "format/json_args.h"
#include "json/known_keys.h"

/* The members that are interpreted. */
enum tm_json_field {
    TM_JF_PH,
    TM_JF_TS,
    TM_JF_DUR,
    TM_JF_PID,
    TM_JF_TID,
    TM_JF_NAME,
    TM_JF_CAT,
    TM_JF_ARGS,
    TM_JF_ID,
    TM_JF_ID2,
    TM_JF_SCOPE,
    TM_JF_S,
    TM_JF_BP,
    TM_JF_BIND_ID,
    TM_JF_FLOW_IN,
    TM_JF_FLOW_OUT,
    TM_JF_SF,
    TM_JF_STACK,
    TM_JF_TTS,
    TM_JF_TDUR,
    TM_JF_COUNT
};

enum { TM_JSON_FIELD_NAME_MAX = 8 };

/* A remembered value of a member: the last one that was short enough. */
struct tm_json_event_value {
    struct tm_json_known_text text; /* the value, and the byte after a number or word, which ends it */
    uint8_t len;                    /* of the value with its quotes */
    bool is_converted;              /* CONVERTED is set */
    uint64_t converted;             /* what was computed from the value */
    struct tm_json_value value;     /* its data are not valid */
};

/* Zero-initialise, or call tm_json_event_init. */
struct tm_json_event {
    const uint8_t *raw; /* the whole object */
    size_t raw_len;
    uint32_t fields;  /* bit 1 << enum tm_json_field is set if the member exists */
    bool empty;       /* {} */
    bool repeated;    /* an interpreted member occurs twice */
    bool non_ascii;   /* a string outside nested values has bytes of 0x80 or above */
    struct tm_json_value value[TM_JF_COUNT + 1]; /* valid if its bit is set; the last of equal keys */
    /* private; [TM_JF_COUNT] is of a member that is not interpreted */
    uint32_t repeated_fields;  /* bit 1 << enum tm_json_field is set if the member occurs twice */
    uint32_t converted_fields; /* bit 1 << enum tm_json_field is set if the member is in CONVERTED */
    uint64_t converted[TM_JF_COUNT + 1];
    struct tm_json_event_value *slots[TM_JF_COUNT + 1]; /* where the value is remembered; NULL: nowhere */
    /* large; last, so that they are not cleared for each file */
    struct tm_json_known_keys keys;                     /* of earlier events */
    struct tm_json_event_value values[TM_JSON_KNOWN_KEYS]; /* of these keys */
};

/* Initialises EVENT for the events of a file, whatever its memory contains. */
void tm_json_event_init(struct tm_json_event *event);

static inline bool tm_json_event_has(const struct tm_json_event *event, enum tm_json_field field)
{
    return event->fields >> field & 1;
}

/* The member FIELD, or NULL. */
static inline const struct tm_json_value *tm_json_event_get(const struct tm_json_event *event,
                                                            enum tm_json_field field)
{
    return tm_json_event_has(event, field) ? &event->value[field] : NULL;
}

/* The member FIELD if it has type TYPE, or NULL. */
static inline const struct tm_json_value *tm_json_event_of(const struct tm_json_event *event,
                                                           enum tm_json_field field, enum tm_json_type type)
{
    return tm_json_event_has(event, field) && event->value[field].type == type ? &event->value[field] : NULL;
}

/* True, with *V set, if V was kept for a member FIELD with the same text in an earlier event. Numbers are converted at
 * once if they are usual ones: times to nanoseconds, pids and tids to integers. */
static inline bool tm_json_event_converted(const struct tm_json_event *event, enum tm_json_field field, uint64_t *v)
{
    *v = event->converted[field];
    return event->converted_fields >> field & 1;
}

/* Keeps V, which depends only on the text of the member FIELD, for later events with the same text. EVENT has FIELD. */
static inline void tm_json_event_keep(const struct tm_json_event *event, enum tm_json_field field, uint64_t v)
{
    struct tm_json_event_value *slot = event->slots[field];
    if (slot) {
        slot->converted = v;
        slot->is_converted = true;
    }
}

/* Parses the object at SCAN's p, which is at its '{'. If ARGS is not NULL, an "args" that is an object or array is also
 * flattened into ARGS. Never returns TM_JSON_CLOSE. */
enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args);

/* Converts the member FIELD, which EVENT has, and returns what tm_json_time does. */
enum tm_status tm_json_event_time(const struct tm_json_event *event, enum tm_json_field field, int64_t *ns);

/* Converts VALUE, microseconds as a number or a string, to exact nanoseconds. TM_OK; TM_E_INPUT: VALUE is not a time;
 * TM_END: it does not fit. */
enum tm_status tm_json_time(const struct tm_json_value *value, int64_t *ns);

#endif
