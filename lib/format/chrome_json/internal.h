/* One JSON event being converted to rows. rows.c shares this with the files for the more complex kinds of
 * events. Calls that return a status return TM_OK or an error, which is in err, unless they state more. */
#ifndef TM_FORMAT_CHROME_JSON_INTERNAL_H
#define TM_FORMAT_CHROME_JSON_INTERNAL_H

#include "format/chrome_json/rows.h"
#include "json/event_id.h"

struct tm_json_row_builder {
    struct tm_json_rows *rows;
    const struct tm_json_event *json;
    struct tm_event event; /* the current row */
    char phase;
    bool has_time; /* event.time_ns is set; metadata may lack a time */
    bool pid_is_text, tid_is_text, has_tid;
    struct tm_error *err;
};

/* Interns the string FIELD for a column. *STRING is 0 if it is empty or not a string. */
enum tm_status tm_json_row_builder_string(struct tm_json_row_builder *work, enum tm_json_field field, uint32_t *string);

/* Interns bytes. */
enum tm_status tm_json_row_builder_intern(struct tm_json_row_builder *work, const void *s, size_t len,
                                          uint32_t *string);

/* Adds the current row with rows->detail as its detail. A raw payload may stay in the file
 * (tm_json_row_builder_ref). */
enum tm_status tm_json_row_builder_add(struct tm_json_row_builder *work);

/* value_offsets.c: adds the JsonRef of the event to its detail if an output can use it. */
enum tm_status tm_json_row_builder_ref(struct tm_json_row_builder *work);

/* Makes the row a PACKET, which only JSON outputs show. */
void tm_json_row_builder_default(struct tm_json_row_builder *work);

/* ids.c: phases whose events are matched by an id. They fill the row. TM_OK; TM_END: the event has no valid id; or an
 * error. */
enum tm_status tm_json_async(struct tm_json_row_builder *work);
enum tm_status tm_json_legacy_async(struct tm_json_row_builder *work);
enum tm_status tm_json_flow(struct tm_json_row_builder *work);
/* Adds the bind_id of a slice to its detail. */
enum tm_status tm_json_bind(struct tm_json_row_builder *work);

/* counter.c: C, which adds its rows itself. */
enum tm_status tm_json_counter(struct tm_json_row_builder *work);

/* sample.c: P, including the CPU profiles of V8. Adds its rows itself. */
enum tm_status tm_json_sample(struct tm_json_row_builder *work);

/* thread_state.c: T with a duration. Adds its rows itself. */
enum tm_status tm_json_thread_state(struct tm_json_row_builder *work);

/* meta.c: M. Adds its row itself. */
enum tm_status tm_json_metadata_event(struct tm_json_row_builder *work);
/* Sets *NUMBER to the number of the pid or tid TEXT. */
enum tm_status tm_json_text_pid(struct tm_json_row_builder *work, const struct tm_json_value *text, int64_t *number);
/* Adds the definitions that name the event's process and thread, if their ids are texts. */
enum tm_status tm_json_define_texts(struct tm_json_row_builder *work);

#endif
