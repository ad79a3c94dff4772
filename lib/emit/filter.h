/* The filter between the stream and its output: what --only leaves is shown, what it leaves out is
 * accounted for. */
#ifndef TM_EMIT_FILTER_H
#define TM_EMIT_FILTER_H

#include "emit/run.h"
#include "select/select.h"

/* Zero-initialise, then init; where there is no filter nothing else need be called. */
struct tm_emit_only {
    struct tm_select *select; /* NULL: no filter */
    /* private */
    const struct tm_emit_run *run;
    struct tm_catalog *catalog;
    struct tm_emit_context *context;
    struct tm_select_sink sink;
    struct tm_select_facts *facts; /* what a first reading has told, or NULL; borrowed */
    bool learns;                   /* this is a first reading */
    bool is_quiet;                 /* what is odd is told by the filter of another output */
    bool has_begun, has_checked_times;
};

/* Sets up the filter. facts and learns are set before, if the stream is read twice. TM_OK; TM_E_INPUT: the stream is
 * not in order or not placed; TM_E_SYSTEM. */
enum tm_status tm_emit_only_init(struct tm_emit_only *only, const struct tm_emit_run *run, struct tm_catalog *catalog,
                                 struct tm_emit_context *context, struct tm_error *err);

/* Takes in BATCH. The first batch brings warnings of names that match nothing; the first event, of times with a unit
 * that are before it. TM_E_STRICT if the run is strict. */
enum tm_status tm_emit_only_batch(struct tm_emit_only *only, const struct tm_batch *batch, struct tm_error *err);

/* Passes the last rows to the sink and adds what was left out to the catalog's accounts. Warns if nothing is left. */
enum tm_status tm_emit_only_finish(struct tm_emit_only *only, struct tm_error *err);

/* Ends a first reading. TM_OK with *FACTS, to be freed, or TM_E_SYSTEM. */
enum tm_status tm_emit_only_learned(struct tm_emit_only *only, struct tm_select_facts **facts, struct tm_error *err);

void tm_emit_only_release(struct tm_emit_only *only);

#endif
