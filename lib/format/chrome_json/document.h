/* The state of a Chrome JSON document being read. chrome_json.c reads the events, top.c the members of the outer
 * object, system.c the kernel's events, hint.c clock hints; damage.c skips text that is not JSON. */
#ifndef TM_FORMAT_CHROME_JSON_DOCUMENT_H
#define TM_FORMAT_CHROME_JSON_DOCUMENT_H

#include "format/chrome_json/chrome_json.h"
#include "format/ftrace/ftrace_text.h"
#include "format/chrome_json/rows.h"

enum tm_json_place {
    TM_JSON_AT_START,
    TM_JSON_IN_KEYS,      /* in the outer object, before a key */
    TM_JSON_IN_EVENTS,    /* in the array of events, before one */
    TM_JSON_IN_SYSTEM,    /* in the string of systemTraceEvents */
    TM_JSON_IN_LARGE,     /* in a top-level value that is skipped */
    TM_JSON_IN_SALVAGE,      /* looking for the next event after damage */
    TM_JSON_IN_REST,      /* skipping the rest of the file after damage */
    TM_JSON_DONE
};

struct tm_json_document {
    struct tm_format_context context;
    enum tm_on_damage on_damage;
    bool hints;
    struct tm_ftrace_text system;
    enum tm_json_place place;
    bool bare_array;
    bool is_lines; /* events one after the other, without an array around them */
    bool display_time_unit;
    bool has_members; /* the outer object has any member */
    bool has_events;  /* the outer object has traceEvents or systemTraceEvents, or an event was added */
    struct tm_buf text; /* scratch; a line of systemTraceEvents; a metadata name */
    /* accounts, written at the end; first_* is the offset of what was counted first */
    uint64_t damaged, first_damaged;
    uint64_t no_time, first_no_time;
    uint64_t too_large, first_too_large;
    uint64_t samples, first_samples; /* elements of the member "samples"; only JSON outputs show them */
    uint64_t skipped_bytes, first_skipped;
    uint64_t system_failures;
    bool has_system; /* a line of systemTraceEvents was an event */
    uint64_t repaired;      /* events whose strings contain raw control characters */
    struct tm_buf repair;   /* the last of them as valid JSON */
    bool line_too_long; /* the line of systemTraceEvents being read */
    /* the large value being skipped */
    uint64_t depth;
    bool in_string, after_backslash;
    /* damage */
    uint64_t searched_bytes; /* bytes searched without success since the last event */
    /* large; last, because they have initialisers of their own */
    struct tm_json_rows rows;
    struct tm_json_event event;
};

/* One step of the reader. It works on the window and removes what it has processed from the input. TM_JSON_OK:
 * continue. TM_JSON_MORE: widen the window. TM_JSON_BAD: *SCAN has position and cause. TM_JSON_CLOSE: an error is in
 * ERR. */
enum tm_json_status tm_json_top_step(struct tm_json_document *doc, struct tm_json_scan *scan, struct tm_error *err);
enum tm_json_status tm_json_system_step(struct tm_json_document *doc, struct tm_json_scan *scan,
                                        struct tm_error *err);
enum tm_json_status tm_json_large_step(struct tm_json_document *doc, struct tm_json_scan *scan);
enum tm_json_status tm_json_salvage_step(struct tm_json_document *doc, struct tm_json_scan *scan);
enum tm_json_status tm_json_rest_step(struct tm_json_document *doc);

/* hint.c: writes the clock hints of the member KEY. TM_OK or an error of writing. */
enum tm_status tm_json_hint(struct tm_json_document *doc, const struct tm_json_value *key,
                            const struct tm_json_value *value, struct tm_error *err);

/* Writes the clock hint of doc->event, the metadata event by which node identifies itself. Its times are on libuv's
 * clock. TM_OK or an error of writing. */
enum tm_status tm_json_event_hint(struct tm_json_document *doc, struct tm_error *err);

/* Handles damage at byte AT of the input. If damage halts, returns an error; otherwise accounts for it and sets the
 * next place. */
enum tm_status tm_json_damage(struct tm_json_document *doc, uint64_t at, const char *cause, struct tm_error *err);

/* Adds COUNT to one of the accounts. */
static inline void tm_json_count(uint64_t *total, uint64_t *first, uint64_t count, uint64_t byte)
{
    if (*total == 0)
        *first = byte;
    *total += count;
}

#endif
