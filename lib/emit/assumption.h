/* Placements that nothing recorded backs: which they are, and what is known that speaks for or against them. */
#ifndef TM_EMIT_ASSUMPTION_H
#define TM_EMIT_ASSUMPTION_H

#include "emit/clock_facts.h"
#include "emit/out.h"

enum tm_assumption {
    TM_ASSUMPTION_NONE,
    TM_ASSUMPTION_START, /* the file's own timeline is taken to start with trace time */
    TM_ASSUMPTION_CLOCK, /* two clocks of one kind are taken to be one */
    TM_ASSUMPTION_STANDS, /* numbers without a clock are taken as trace time, which is another file's */
    TM_ASSUMPTIONS
};

/* What was assumed to place the events of P; NONE too where it placed none. */
enum tm_assumption tm_assumption_of(const struct tm_catalog *catalog, const Tracemerge__Placement *p);

/* The first placement in the order of files that was assumed, or NULL. */
const Tracemerge__Placement *tm_assumption_first(const struct tm_catalog *catalog);

/* What was taken for what: "nothing relates its own timeline to BOOTTIME of phone, so the two are taken to start
 * together". */
void tm_assumption_put(struct tm_out *out, const struct tm_catalog *catalog, const Tracemerge__Placement *p);

/* What P's file knows of it: the base that it states, by which --hints would place it, and that two recordings of one
 * machine look like recordings of two. "states baseTimeNanoseconds 1694128201421058000, 700ms after rank0.json's:
 * --hints would use it". False, with nothing put, where it knows nothing. */
bool tm_assumption_put_evidence(struct tm_out *out, const struct tm_catalog *catalog,
                                const struct tm_clock_facts *facts, const Tracemerge__Placement *p);

#endif
