/* What the uncertainty of a placement comes from, as Placement.uncertainty_from names it (tm-stream(5)). */
#ifndef TM_STREAM_UNCERTAINTY_SOURCE_H
#define TM_STREAM_UNCERTAINTY_SOURCE_H

#include "base/text.h"

enum tm_uncertainty_source {
    TM_UNCERTAINTY_OTHER,      /* one that this version does not know */
    TM_UNCERTAINTY_JITTER,     /* of repeated snapshots */
    TM_UNCERTAINTY_STEP,       /* from one snapshot to the next */
    TM_UNCERTAINTY_ALIGNMENT,  /* the bounds that tm-align found */
    TM_UNCERTAINTY_MANIFEST,   /* a manifest entry, which may state a bound */
    TM_UNCERTAINTY_SNAPSHOT,   /* too few snapshots to have a bound */
    TM_UNCERTAINTY_HINT,       /* has no bound */
    TM_UNCERTAINTY_ASSUMPTION, /* has no bound */
    TM_UNCERTAINTY_TRACE_TIME, /* there is none: the clock is trace time */
    TM_UNCERTAINTY_SOURCES
};

/* Returns "jitter", "step", …; NULL for TM_UNCERTAINTY_OTHER. */
const char *tm_uncertainty_source_name(enum tm_uncertainty_source source);

/* Removes the first name from NAMES, which are joined by "+", and sets *SOURCE to what it names. False if NAMES is
 * empty. */
bool tm_uncertainty_source_next(struct tm_text *names, enum tm_uncertainty_source *source);

#endif
