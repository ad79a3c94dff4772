/* The open slices of async tracks. An end needs the name and category of its slice. Memory grows with the tracks and
 * the slices open on them, at most TM_SLICES_DEPTH_MAX on each. Deeper slices are only counted: the reference importer
 * drops them.
 *
 * If an end closes another than the innermost slice, the next event of the track after that time ends those within it
 * too, at that time, as in the model (stream/slice_stack.h). */
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
        uint32_t ended;         /* how many of them have ended, and wait for those within them */
        int64_t ended_ns;       /* their end */
    } *open;
    struct tm_buf ended;  /* the slice that was removed last */
    uint32_t count, cap;
    uint32_t ended_count; /* tracks with slices that have ended */
};

/* E begins a slice on its track. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_json_open_slices_begin(struct tm_json_open_slices *slices, const struct tm_event *e,
                                         struct tm_text category, struct tm_text name, struct tm_error *err);

/* Ends the innermost open slice of E's track whose *CATEGORY and *NAME are those that are given; one without data is
 * not given. If there is such a slice, both become the slice's, which are valid until the next end. While there are
 * deeper slices, E ends one of these, and both stay as they are. TM_OK; TM_END: there is no such slice; TM_E_SYSTEM. */
enum tm_status tm_json_open_slices_end(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, struct tm_error *err);

/* Removes a slice of E's track that ended together with one around it, before E. Sets *CATEGORY, *NAME and *END_NS to
 * those of its end; the texts are valid until the next end. TM_OK; TM_END: there is none more; TM_E_SYSTEM. Call it
 * until then before E begins, ends or is a slice or an instant. */
enum tm_status tm_json_open_slices_cut(struct tm_json_open_slices *slices, const struct tm_event *e,
                                       struct tm_text *category, struct tm_text *name, int64_t *end_ns);

void tm_json_open_slices_release(struct tm_json_open_slices *slices);

#endif
