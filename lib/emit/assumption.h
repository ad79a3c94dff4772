/* Placements that rest on an assumption and not on recorded data, and what supports or contradicts each. */
#ifndef TM_EMIT_ASSUMPTION_H
#define TM_EMIT_ASSUMPTION_H

#include "emit/clock_facts.h"
#include "emit/out.h"

enum tm_assumption {
    TM_ASSUMPTION_NONE,
    TM_ASSUMPTION_START, /* the file's own timeline is taken to start with trace time */
    TM_ASSUMPTION_CLOCK, /* two clocks of one kind are taken to be one */
    TM_ASSUMPTION_NO_CLOCK /* numbers without a clock are taken as readings of trace time, a clock of another file */
};

/* Returns the assumption that placed the events of P; NONE also if P placed none. */
enum tm_assumption tm_assumption_of(const struct tm_catalog *catalog, const Tracemerge__Placement *p);

/* The first placement in the order of files that was assumed, or NULL. */
const Tracemerge__Placement *tm_assumption_first(const struct tm_catalog *catalog);

/* Puts the assumption as a sentence: "nothing relates its own timeline to BOOTTIME of phone, so the two are assumed to
 * read the same". */
void tm_assumption_put(struct tm_out *out, const struct tm_catalog *catalog, const Tracemerge__Placement *p);

/* Puts what is recorded about the assumption: a base by which --hints would place P's file, readings of the clocks of
 * two machines that came too late, or signs that two recordings come from one machine or from two. Example: "states
 * baseTimeNanoseconds 1694128201421058000, 700ms after that of rank0.json: --hints takes it for REALTIME". False: there
 * is nothing, and nothing was put. */
bool tm_assumption_put_evidence(struct tm_out *out, const struct tm_catalog *catalog,
                                const struct tm_clock_facts *facts, const Tracemerge__Placement *p);

#endif
