/* Arguments of Chrome JSON events that change with their event.
 *
 * References to objects: {"id_ref": "0x1"}, at any depth, follows the object's id; pid_ref beside it follows the
 * process. An object inside a snapshot with an id, "NAME/0x1", is an object of its own and is referred to in the same
 * way. Source: the Trace Event Format, "Object Events"; catapult's importer for arguments of slices and pid_ref.
 *
 * Times on the event's own clock: startTime and endTime of V8's profiles, from which times of samples count (P events
 * named Profile and ProfileChunk), and issue_ts of clock syncs. */
#ifndef TM_EMIT_CHROME_JSON_REFS_H
#define TM_EMIT_CHROME_JSON_REFS_H

#include "emit/chrome_json/inputs.h"
#include "emit/chrome_json/pids.h"
#include "emit/chrome_json/writer.h"
#include "json/scan.h"

/* Zero-initialise, and set the borrowed members. */
struct tm_json_refs {
    const struct tm_json_inputs *inputs; /* borrowed, as the next two */
    struct tm_json_writer *writer;
    struct tm_json_pids *pids;
    /* private */
    struct tm_map with_objects; /* files with object events; arguments of other files refer to no objects */
};

/* The changes in the arguments of one event. */
struct tm_json_ref_changes {
    bool may_change;  /* otherwise the arguments stay as they are */
    bool is_snapshot; /* of an object: it may contain other objects with ids */
    bool is_profile;
    bool has_times;   /* add shift_ns to known times on the event's clock */
    int64_t shift_ns;
};

/* Sets *CHANGES for E, whose raw payload is an object. Call it for each such event, in order. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_refs_find(struct tm_json_refs *refs, const struct tm_event *e,
                                 struct tm_json_ref_changes *changes, struct tm_error *err);

/* True if tm_json_refs_find has to look at the text of E. */
bool tm_json_refs_read_text(const struct tm_json_refs *refs, const struct tm_event *e);

/* Writes ARGS of E with CHANGES. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_refs_write(struct tm_json_refs *refs, const struct tm_event *e, const struct tm_json_value *args,
                                  const struct tm_json_ref_changes *changes, struct tm_error *err);

void tm_json_refs_release(struct tm_json_refs *refs);

/* True if E's text may have a key that ends with the two characters ENDING. */
bool tm_json_refs_may_have_key(const struct tm_event *e, const char *ending);

#endif
