/* Events of Chrome JSON as rows of the stream (doc/events.md, Chrome JSON). */
#ifndef TM_FORMAT_CHROME_JSON_ROWS_H
#define TM_FORMAT_CHROME_JSON_ROWS_H

#include "format/json_args.h"
#include "format/chrome_json/event.h"
#include "format/v8_profile.h"
#include "stream/event_sink.h"
#include "stream/text_file.h"

/* Init, and release at the end. One for each file. */
struct tm_json_rows {
    struct tm_event_sink *sink; /* borrowed */
    bool has_source;  /* event texts may stay in the file; set after init */
    uint64_t text_at; /* the offset of the next event's text in the file */
    bool counts_text;  /* each text states the distance from the end of the text before it; with has_source */
    uint64_t text_end; /* the end of the last text; before the first text, the start of the document */
    struct tm_text_file *text_file; /* if not has_source, texts may go here; may be NULL */
    /* Counts of events that could not be shown as the kind that they state. They are named after the statistics of the
     * reference importer. */
    uint64_t parser_failures;
    uint64_t bad_profiles; /* events of V8's profiles whose samples are lost; the caller adds them to its statistic */
    uint64_t bad_profile_nodes, bad_profile_samples;
    uint64_t flow_invalid_ids;
    uint64_t flows_without_direction;
    uint64_t args_cut;
    uint64_t invalid_utf8;
    struct tm_json_args args; /* the args of the event as flattened by tm_json_event_parse, if the sink wants detail */
    /* private */
    bool has_complete; /* a complete event was added */
    struct tm_buf detail, name, category, id, scratch, message;
    struct tm_v8_profile *profile; /* NULL until the first profile */
    struct tm_intern named; /* (pid, tid) of processes and threads with texts as ids that are defined already */
    struct tm_json_named {
        bool is_set;
        int64_t pid, tid;
    } last_process, last_thread; /* of named, those looked up last */
    /* large; last, so that they are not cleared for each file */
    struct tm_json_arg_places args_places;
    struct tm_json_arg_shapes args_shapes;
};

/* Initialises ROWS, whatever their memory contains. SINK is borrowed. */
void tm_json_rows_init(struct tm_json_rows *rows, struct tm_event_sink *sink);

/* Why an event has no rows. */
enum tm_json_fault { TM_JSON_NO_FAULT, TM_JSON_NO_TIME, TM_JSON_DAMAGED };

/* Adds the rows of EVENT. TM_OK. TM_END: EVENT is not an event; *FAULT says why, and nothing was added. Otherwise an
 * error. */
enum tm_status tm_json_rows_add(struct tm_json_rows *rows, const struct tm_json_event *event, enum tm_json_fault *fault,
                                struct tm_error *err);

/* Writes the statistics. TM_OK or an error. */
enum tm_status tm_json_rows_finish(struct tm_json_rows *rows, struct tm_error *err);

void tm_json_rows_release(struct tm_json_rows *rows);

#endif
