/* Slices and instants of inputs other than Chrome JSON, as JSON events. */
#ifndef TM_EMIT_CHROME_JSON_SLICES_H
#define TM_EMIT_CHROME_JSON_SLICES_H

#include "base/table.h"
#include "emit/chrome_json/kernel_threads.h"
#include "emit/chrome_json/open_slices.h"
#include "emit/chrome_json/pending_begins.h"
#include "emit/chrome_json/threads.h"
#include "emit/chrome_json/ended_slices.h"

/* Asynchronous markers that are open at one time. The slices of further ones are left out. */
enum { TM_JSON_OPEN_MARKERS_MAX = 1 << 18 };

/* Zero-initialise, and set the borrowed members of it and of its parts. */
struct tm_json_slices {
    struct tm_json_writer *writer; /* borrowed, as the next */
    struct tm_json_threads *threads;
    struct tm_json_kernel_threads kernel;
    struct tm_json_begins begins; /* open slices of threads */
    struct tm_json_ended_slices ended;
    /* private */
    struct tm_json_open_slices open;    /* on tracks of their own */
    struct tm_table open_markers;       /* async markers */
    bool has_lost_markers; /* begins were left out; their ends are too */
    struct tm_map lifetimes; /* machine << 32 | tid to how often a task with this tid began or ended; none: never */
    struct tm_buf scratch;
};

/* If a task begins or ends with E, later slices of its tid are those of another thread. TM_OK or an error, as all
 * functions here. */
enum tm_status tm_json_slices_note(struct tm_json_slices *slices, const struct tm_event *e, struct tm_error *err);

/* Writes E, a slice or instant. */
enum tm_status tm_json_slices_write(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err);

/* Adds the args of E to an open slice. */
enum tm_status tm_json_slices_add_args(struct tm_json_slices *s, const struct tm_event *e, struct tm_error *err);

/* Sets the process and thread of DRAFT to those of E, an instant or flow event of the thread of PLACE: to the lane of
 * the slices that it belongs to. */
enum tm_status tm_json_slices_point(struct tm_json_slices *s, const struct tm_event *e, struct tm_event_task place,
                                    struct tm_json_event_draft *draft, struct tm_error *err);

/* At the end: writes the slices that are pending, and those without an end. */
enum tm_status tm_json_slices_finish(struct tm_json_slices *s, struct tm_error *err);

void tm_json_slices_release(struct tm_json_slices *s);

#endif
