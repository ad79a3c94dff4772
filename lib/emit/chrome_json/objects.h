/* Events of Chrome JSON, whose raw payload is an object. It is written with the necessary changes: time, process,
 * thread, ids, frames and references. Every other byte is kept. */
#ifndef TM_EMIT_CHROME_JSON_OBJECTS_H
#define TM_EMIT_CHROME_JSON_OBJECTS_H

#include "emit/chrome_json/destination.h"
#include "emit/chrome_json/frames.h"
#include "emit/chrome_json/refs.h"
#include "stream/json_ref.h"

/* Zero-initialise, and set the borrowed members of it and of its parts. */
struct tm_json_objects {
    const struct tm_json_inputs *inputs; /* borrowed, as the next two */
    struct tm_json_writer *writer;
    struct tm_json_frames *frames;
    struct tm_json_destinations destinations;
    struct tm_json_refs refs;
    struct tm_source_reader *reader; /* of texts that are not copied by the writer; NULL: none so far */
};

/* Writes E. Its detail may state the offsets of the values that change. TM_OK or an error. */
enum tm_status tm_json_objects_write(struct tm_json_objects *o, const struct tm_event *e, struct tm_error *err);

/* Writes E, whose object lies elsewhere: REF names its place in the file of E. TM_OK or an error. */
enum tm_status tm_json_objects_write_ref(struct tm_json_objects *o, const struct tm_event *e,
                                         const struct tm_json_ref *ref, struct tm_error *err);

/* Writes E, the end of a slice of a thread, which has no object: --only made it. TM_OK or an error. */
enum tm_status tm_json_objects_write_end(struct tm_json_objects *o, const struct tm_event *e, struct tm_error *err);

void tm_json_objects_release(struct tm_json_objects *o);

#endif
