/* Runs in memory: lists of blocks, each block put behind the one it continues. Sorted input makes
 * one run of all its blocks, files that were sorted each make one run a file. */
#ifndef TM_SORT_MEMORY_RUNS_H
#define TM_SORT_MEMORY_RUNS_H

#include "sort/merge.h"

struct tm_memory_run {
    struct tm_block *head, *tail;
    struct tm_sort_key last;
    bool definitions;
    struct tm_block *next; /* while it is read: the block after the one shown last */
};

/* Zero-initialise. Blocks are borrowed. */
struct tm_memory_runs {
    struct tm_memory_run *runs;
    uint32_t count;
    /* private */
    uint32_t cap;
};

/* Adds BLOCK. Sequence numbers must rise. */
enum tm_status tm_memory_runs_add(struct tm_memory_runs *runs, struct tm_block *block,
                                  const struct tm_file_order *orders, struct tm_error *err);

/* Number of runs of definitions, or of all others. */
uint32_t tm_memory_runs_count(const struct tm_memory_runs *runs, bool definitions);

/* Fills SOURCES, which has room for them, with these runs from their beginnings. */
void tm_memory_runs_sources(struct tm_memory_runs *runs, bool definitions, struct tm_merge_source *sources);

void tm_memory_runs_clear(struct tm_memory_runs *runs);
void tm_memory_runs_release(struct tm_memory_runs *runs);

#endif
