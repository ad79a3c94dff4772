/* One object of traceEvents, its members picked out in one pass.
 * Source: the Trace Event Format document; Perfetto's reading of it for what is optional. */
#ifndef TM_FORMAT_CHROME_JSON_EVENT_H
#define TM_FORMAT_CHROME_JSON_EVENT_H

#include "format/json_args.h"

/* The members that mean something to us. */
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

struct tm_json_event {
    const uint8_t *raw; /* the whole object */
    size_t raw_len;
    uint32_t fields;  /* bit 1 << enum tm_json_field: the member is there */
    bool empty;       /* {} */
    bool repeated;    /* a member that means something is there twice */
    bool non_ascii;   /* a string outside of nested values has bytes of 0x80 or above */
    struct tm_json_value value[TM_JF_COUNT]; /* where its bit is set; of equal keys the last */
};

static inline bool tm_json_event_has(const struct tm_json_event *event, enum tm_json_field field)
{
    return event->fields >> field & 1;
}

/* The member, or NULL. */
static inline const struct tm_json_value *tm_json_event_get(const struct tm_json_event *event,
                                                            enum tm_json_field field)
{
    return tm_json_event_has(event, field) ? &event->value[field] : NULL;
}

/* The member where it is of TYPE, or NULL. */
static inline const struct tm_json_value *tm_json_event_of(const struct tm_json_event *event,
                                                           enum tm_json_field field, enum tm_json_type type)
{
    return tm_json_event_has(event, field) && event->value[field].type == type ? &event->value[field] : NULL;
}

/* Reads the object at SCAN's p, which is at its '{'. With ARGS (may be NULL) its args are flattened
 * on the way; that holds for the member TM_JF_ARGS where it is an object or array. */
enum tm_json_status tm_json_event_parse(struct tm_json_scan *scan, struct tm_json_event *event,
                                        struct tm_json_args *args);

/* A time in microseconds, a number or a string with one, as exact nanoseconds. TM_OK; TM_E_INPUT
 * when VALUE is none; TM_END when it does not fit. */
enum tm_status tm_json_time(const struct tm_json_value *value, int64_t *ns);

#endif
