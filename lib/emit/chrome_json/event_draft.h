/* An event of a Chrome JSON output that has no text yet: all that its text depends on. The text is made when the output
 * is written, perhaps by another thread (late_parts.h). */
#ifndef TM_EMIT_CHROME_JSON_EVENT_DRAFT_H
#define TM_EMIT_CHROME_JSON_EVENT_DRAFT_H

#include "base/pb.h"
#include "base/text.h"
#include "emit/late_parts.h"

#include <stdbool.h>

/* Where an event has its duration. */
enum tm_json_dur { TM_JSON_DUR_NONE, TM_JSON_DUR_AFTER_TS, TM_JSON_DUR_AFTER_NAME };

/* How an event has its id: "id", or "id2" with "local", both with the scope "track"; or as a string, which readers make
 * a part of the name of a counter. */
enum tm_json_id_form { TM_JSON_ID_NONE, TM_JSON_ID_GLOBAL, TM_JSON_ID_LOCAL, TM_JSON_ID_TEXT };

/* The direction of a flow that an event has as bind_id. */
enum tm_json_bind { TM_JSON_BIND_NONE, TM_JSON_BIND_OUT, TM_JSON_BIND_STEP, TM_JSON_BIND_IN };

/* The form of a counter's value. */
enum tm_json_value_form { TM_JSON_VALUE_NONE, TM_JSON_VALUE_INT, TM_JSON_VALUE_DOUBLE };

/* Which members an event has. */
struct tm_json_event_form {
    char phase;
    uint8_t dur, id, bind, value; /* the enums above */
    bool has_stack;               /* of a sample: "stack", the functions of its detail, instead of args */
    bool has_thread_scope;        /* of an instant: "s":"t" */
    bool binds_enclosing;         /* of the end of a flow: "bp":"e" */
};

/* Zero-initialise. Numbers and times are those of the output; the last four numbers count if the form has them. Texts
 * are borrowed; those without data are no members. */
struct tm_json_event_draft {
    struct tm_json_event_form form;
    int64_t ts_ns, pid, tid;
    int64_t dur_ns;
    uint64_t id, bind_id;
    uint64_t value;                     /* an int64, or the bits of a double */
    struct tm_text category, name;
    struct tm_text detail, more_detail; /* Detail messages: args, or the stack; unless it has a value */
    /* not part of its text: tm_json_writer_next_flow */
    bool has_flow_events;
    struct tm_pb flows;
};

/* A draft as a record for tm_json_event_format: its pieces, to be joined. They are borrowed from the draft, except for
 * the first. */
enum { TM_JSON_EVENT_NUMBERS = 4, TM_JSON_EVENT_PIECES = 5 };
struct tm_json_event_record {
    struct tm_json_event_head {
        int64_t ts_ns, pid, tid;
        uint32_t category_bytes, name_bytes; /* of the text, plus 1; 0: it is no member */
        struct tm_json_event_form form;
        bool follows;                            /* there is an event before it */
        uint64_t numbers[TM_JSON_EVENT_NUMBERS]; /* duration, id, bind_id, value: those that the form has */
    } head;
    struct tm_text pieces[TM_JSON_EVENT_PIECES];
};

/* Sets *RECORD, which must not be moved afterwards, to that of DRAFT. FOLLOWS: there is an event before it. */
void tm_json_event_draft_record(const struct tm_json_event_draft *draft, bool follows,
                                struct tm_json_event_record *record);

/* Changes whether there is an event before that of RECORD, the pieces joined. */
void tm_json_event_set_follows(uint8_t *record, bool follows);

/* Formats an event. */
tm_late_format tm_json_event_format;

#endif
