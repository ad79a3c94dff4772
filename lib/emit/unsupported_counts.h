/* Counts, for each file, of events that an output has no form for. */
#ifndef TM_EMIT_UNSUPPORTED_COUNTS_H
#define TM_EMIT_UNSUPPORTED_COUNTS_H

#include "model/catalog.h"

enum { TM_UNSUPPORTED_COUNTS_KINDS = 64 };

/* Zero-initialise. */
struct tm_unsupported_counts {
    struct tm_unsupported_counts_file {
        uint64_t events[TM_UNSUPPORTED_COUNTS_KINDS]; /* by kind: the output has no form for them */
        /* ftrace events from before the tracing of their file started; readers of the output leave them out */
        uint64_t early;
        uint64_t times; /* times inside packets that are not on trace time and are written as recorded */
        uint64_t readings; /* readings of clocks that contradict others, so the output cannot hold them */
        uint64_t surplus;  /* readings of clocks beyond those that the output holds */
        uint64_t names;    /* names of threads and processes beyond those that the output holds */
    } * files;
    uint32_t file_count, file_cap;
    uint64_t times; /* of all files */
};

/* If memory is short, nothing is counted. UNSUPPORTED may be NULL. */
void tm_unsupported_counts_event(struct tm_unsupported_counts *unsupported, const struct tm_event *event);
void tm_unsupported_counts_early(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count);
void tm_unsupported_counts_times(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count);
void tm_unsupported_counts_readings(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count);
void tm_unsupported_counts_surplus(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count);
void tm_unsupported_counts_names(struct tm_unsupported_counts *unsupported, uint32_t file, uint32_t count);

void tm_unsupported_counts_release(struct tm_unsupported_counts *unsupported);

#endif
