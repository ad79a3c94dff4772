/* Events of Chrome JSON as rows of the stream (doc/events.md, Chrome JSON). */
#ifndef TM_FORMAT_CHROME_JSON_ROWS_H
#define TM_FORMAT_CHROME_JSON_ROWS_H

#include "format/json_args.h"
#include "format/chrome_json/event.h"
#include "format/chrome_json/profile.h"
#include "stream/event_sink.h"
#include "stream/text_file.h"

/* Zero-initialise, then init; release at the end. One a file. */
struct tm_json_rows {
    struct tm_event_sink *sink; /* borrowed */
    bool has_source;  /* the text of events may stay in the file; set behind init */
    uint64_t text_at; /* where that of the next one is there */
    bool counts_text;  /* each text says how many bytes are between it and the one before; with has_source */
    uint64_t text_end; /* where that was; of none: where the document begins */
    struct tm_text_file *text_file; /* else it may go here; may be NULL */
    /* What could not be shown as the event it claims to be, named as the reference's statistics. */
    uint64_t parser_failures;
    uint64_t flow_invalid_ids;
    uint64_t flows_without_direction;
    uint64_t args_cut;
    uint64_t invalid_utf8;
    struct tm_json_args args; /* what tm_json_event_parse made of the event's, where the sink wants detail */
    /* private */
    struct tm_buf detail, name, category, id, scratch, message;
    struct tm_json_profile *profile; /* NULL until one is met */
    struct tm_intern named; /* process and thread names that were strings and have been defined */
};

void tm_json_rows_init(struct tm_json_rows *rows, struct tm_event_sink *sink);

/* Adds the rows of EVENT. TM_OK; TM_END: it is no event, *REASON (an account's word) says why, and
 * nothing was added; or an error. */
enum tm_status tm_json_rows_add(struct tm_json_rows *rows, const struct tm_json_event *event, const char **reason,
                                struct tm_error *err);

/* Writes the statistics. */
enum tm_status tm_json_rows_finish(struct tm_json_rows *rows, struct tm_error *err);

void tm_json_rows_release(struct tm_json_rows *rows);

#endif
