/* Events that are written from their columns, not from a recorded object, each by its kind. */
#ifndef TM_EMIT_CHROME_JSON_EVENTS_H
#define TM_EMIT_CHROME_JSON_EVENTS_H

#include "emit/chrome_json/cpus.h"
#include "emit/chrome_json/slices.h"

enum { TM_JSON_COUNTERS_MAX = 1 << 20 }; /* tracks */

/* Zero-initialise, and set the borrowed members of it and of its parts. */
struct tm_json_events {
    struct tm_json_writer *writer; /* borrowed, as the next */
    struct tm_json_threads *threads;
    struct tm_json_slices slices;
    struct tm_json_cpus cpus;
    /* private */
    struct tm_map counters; /* (pid of the output, name) to the number of its tracks; and a track to its number */
};

/* Writes E. TM_OK or an error. */
enum tm_status tm_json_events_write(struct tm_json_events *events, const struct tm_event *e, struct tm_error *err);

void tm_json_events_release(struct tm_json_events *events);

#endif
