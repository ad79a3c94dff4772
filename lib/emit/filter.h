/* The filter between the stream and its output: events that --only selects are shown, others are accounted for. */
#ifndef TM_EMIT_FILTER_H
#define TM_EMIT_FILTER_H

#include "emit/run.h"
#include "select/select.h"

/* Zero-initialise, then init. Without a filter the other functions need not be called. */
struct tm_emit_filter {
    struct tm_select *select; /* NULL: no filter */
    /* private */
    const struct tm_emit_run *run;
    struct tm_catalog *catalog;
    struct tm_emit_context *context;
    struct tm_batch_receiver receiver;
    struct tm_select_facts *facts; /* facts from a first reading, or NULL; borrowed */
    bool learns;                   /* this is a first reading */
    bool is_quiet;                 /* the filter of another output gives the warnings */
    bool has_begun, has_checked_times;
};

/* Sets up the filter. facts and learns are set before, if the stream is read twice. TM_OK; TM_E_INPUT: the stream is
 * not in order or not placed; TM_E_SYSTEM. */
enum tm_status tm_emit_filter_init(struct tm_emit_filter *filter, const struct tm_emit_run *run,
                                   struct tm_catalog *catalog, struct tm_emit_context *context, struct tm_error *err);

/* Takes BATCH. With the first batch it warns of names that match nothing; with the first event, of times with a unit
 * that are before it. TM_E_STRICT if the run is strict. */
enum tm_status tm_emit_filter_batch(struct tm_emit_filter *filter, const struct tm_batch *batch, struct tm_error *err);

/* Passes the last rows to the receiver and adds the left-out events to the catalog's accounts. Warns if no event is
 * left. TM_OK, an error, or what the receiver returned. */
enum tm_status tm_emit_filter_finish(struct tm_emit_filter *filter, struct tm_error *err);

/* Ends a first reading. TM_OK with *FACTS, to be freed, or the errors of tm_select_learned. */
enum tm_status tm_emit_filter_learned(struct tm_emit_filter *filter, struct tm_select_facts **facts,
                                      struct tm_error *err);

void tm_emit_filter_release(struct tm_emit_filter *filter);

#endif
