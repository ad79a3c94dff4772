/* The open slices of async tracks. An end needs the name and category of its slice. Memory grows with the tracks and
 * the slices open on them, at most TM_SLICES_DEPTH_MAX on each. Deeper slices are only counted: the reference importer
 * drops them. */
#ifndef TM_EMIT_CHROME_JSON_OPEN_SLICES_H
#define TM_EMIT_CHROME_JSON_OPEN_SLICES_H

#include "base/buf.h"
#include "base/map.h"
#include "base/text.h"
#include "stream/event.h"

/* Zero-initialise. */
struct tm_json_open_slices {
    /* private */
    struct tm_map tracks; /* (file, track) to an index of open plus 1 */
    struct tm_json_open_track {
        struct tm_buf slices;    /* names and categories, the innermost last */
        uint32_t depth, deeper; /* their number; the number of open slices inside these */
    } *open;
    struct tm_buf ended;  /* the slice that was removed last */
    uint32_t count, cap;
};

/* E begins a slice on its track. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_open_slices_begin(struct tm_json_open_slices *slices, const struct tm_event *e,
                                         struct tm_text category, struct tm_text name, struct tm_error *err);

/* Removes the innermost slice of E's track whose *CATEGORY and *NAME are those that are given; one without data is not
 * given. If there is such a slice, both become the slice's, which are valid until the next end. While there are deeper
 * slices, E ends one of these, and both stay as they are. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_open_slices_end(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, struct tm_error *err);

void tm_json_open_slices_release(struct tm_json_open_slices *slices);

#endif
