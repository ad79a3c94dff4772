/* Counts, for each file, of what an output has no form for. */
#ifndef TM_EMIT_UNSUPPORTED_COUNTS_H
#define TM_EMIT_UNSUPPORTED_COUNTS_H

#include "model/catalog.h"

enum { TM_UNSUPPORTED_COUNTS_KINDS = 64 };

/* What is counted besides whole events. */
enum tm_unsupported {
    TM_UNSUPPORTED_EARLY,    /* ftrace events from before the tracing of their file started; readers leave them out */
    TM_UNSUPPORTED_TIMES,    /* times inside packets that are not on trace time and are written as recorded */
    TM_UNSUPPORTED_READINGS, /* readings of clocks that contradict others, so the output cannot hold them */
    TM_UNSUPPORTED_SURPLUS,  /* readings of clocks beyond those that the output holds */
    TM_UNSUPPORTED_NAMES,    /* names of threads and processes beyond those that the output holds */
    TM_UNSUPPORTED_FACTS,    /* states, work, requests and counts beyond those that the output remembers */
    TM_UNSUPPORTED_COUNT
};

/* Zero-initialise. */
struct tm_unsupported_counts {
    struct tm_unsupported_counts_file {
        uint64_t events[TM_UNSUPPORTED_COUNTS_KINDS]; /* by kind: the output has no form for them */
        uint64_t others[TM_UNSUPPORTED_COUNT];
    } * files;
    uint32_t file_count, file_cap;
    uint64_t others[TM_UNSUPPORTED_COUNT]; /* of all files */
};

/* If memory is short, nothing is counted. UNSUPPORTED may be NULL. */
void tm_unsupported_counts_event(struct tm_unsupported_counts *unsupported, const struct tm_event *event);
void tm_unsupported_counts_add(struct tm_unsupported_counts *unsupported, uint32_t file, enum tm_unsupported what,
                               uint64_t count);

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsupported);

#endif
