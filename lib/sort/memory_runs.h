/* Runs in memory: lists of blocks. Each block is appended to the run that it continues. Sorted input makes one run;
 * sorted files that are mixed make one run each. */
#ifndef TM_SORT_MEMORY_RUNS_H
#define TM_SORT_MEMORY_RUNS_H

#include "sort/merge.h"
#include "sort/spent_blocks.h"

struct tm_memory_run {
    struct tm_block *head, *tail;
    struct tm_sort_key last;
    bool definitions;
    struct tm_block *shown; /* while the run is read: the last block that was shown; NULL: none */
    struct tm_block *next; /* while the run is read: the next block to show */
    struct tm_spent_blocks *spent; /* gets blocks that were shown; NULL: they stay; borrowed */
};

/* Zero-initialise. Blocks are borrowed. */
struct tm_memory_runs {
    struct tm_memory_run *runs;
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* Adds BLOCK. Sequence numbers must increase. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_memory_runs_add(struct tm_memory_runs *runs, struct tm_block *block,
                                  const struct tm_file_order *orders, struct tm_error *err);

/* Returns the number of runs of definitions, or of other events. */
uint32_t tm_memory_runs_count(const struct tm_memory_runs *runs, bool definitions);

/* Fills SOURCES with these runs, from their beginnings. It has room for tm_memory_runs_count of them. SPENT (borrowed)
 * gets each block when the next one is asked for; NULL: blocks stay as they are. */
void tm_memory_runs_sources(struct tm_memory_runs *runs, bool definitions, struct tm_spent_blocks *spent,
                            struct tm_run_source *sources);

/* Removes all runs; their blocks may then be used again. */
void tm_memory_runs_clear(struct tm_memory_runs *runs);
void tm_memory_runs_release(struct tm_memory_runs *runs);

#endif
