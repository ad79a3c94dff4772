/* Merges sorted runs into one with a tree of losers: one comparison a level for each row. The end of a long stretch
 * of one run is found by search, and the stretch is passed on as a range. */
#ifndef TM_SORT_MERGE_H
#define TM_SORT_MERGE_H

#include "sort/collector.h"

/* A sorted run. next: TM_OK with the next block (at least one row), TM_END or an error. */
struct tm_run_source {
    enum tm_status (*next)(void *run, struct tm_block **block, struct tm_error *err);
    void *run;
    bool is_transient; /* true: a block is valid until the next call; false: blocks are valid as long as the merge
                        * runs, and each one's member next is the block that follows */
};

/* Adds all rows of COUNT sources to COLLECTOR in order. Rows with equal keys come in the order of their blocks'
 * sequence numbers, which differ between sources, and then in the order of the sources. Copies all rows that
 * COLLECTOR has noted, but does not flush it. TM_OK, TM_E_SYSTEM, or the error of a source or of the collector. */
enum tm_status tm_merge_runs(const struct tm_run_source *sources, size_t count, const struct tm_file_order *orders,
                             struct tm_collector *collector, struct tm_error *err);

#endif
