/* Sorts a stream of any size within a memory budget. Frames are kept. Events are sorted batch by batch. Runs that do
 * not fit into memory go to temporary files. All runs are merged at the end (doc/sorting.md). */
#ifndef TM_SORT_SORTER_H
#define TM_SORT_SORTER_H

#include "sort/arena.h"
#include "sort/frame_file.h"
#include "sort/memory_runs.h"
#include "sort/row_order.h"
#include "sort/run_store.h"

struct tm_sort_options {
    unsigned long long memory_bytes; /* for events; the rest of the program takes up to 64 MiB more */
    const char *temporary_dir;           /* for temporary files; NULL: $TMPDIR, else /tmp */
    unsigned jobs; /* threads that merge events in memory, at most 2; 0: by the number of processors */
};

/* Returns the default of memory_bytes for a process that may use SIZE bytes of memory: a sixteenth of them, at least
 * 256 MiB and at most 1 GiB. */
unsigned long long tm_sort_memory_of(uint64_t size);

/* Returns the directory that OPTIONS select. */
const char *tm_sort_dir(const struct tm_sort_options *options);

struct tm_sorter {
    /* private */
    struct tm_file_order orders;
    struct tm_row_order row_order;
    struct tm_buf offsets; /* a size_t for each row */
    struct tm_buf words;   /* a uint64_t for each row and word of its layout */
    struct tm_arena arena;
    struct tm_block_layouts layouts;
    struct tm_memory_runs memory;
    uint32_t memory_blocks; /* blocks in memory */
    struct tm_run_store store;
    struct tm_frame_file frames;
    struct tm_collector staging; /* joins small batches, and all batches if times are shuffled */
    bool is_shuffled;
    unsigned jobs;
    uint64_t sequence;
};

/* Initialises SORTER. OPTIONS' text is borrowed. */
void tm_sorter_init(struct tm_sorter *sorter, const struct tm_sort_options *options);

/* Adds a copy of FRAME. BATCH is used if it is a TM_FRAME_BATCH. TM_OK; TM_E_INPUT for an impossible file id or a
 * second order of a file; TM_E_SYSTEM. */
enum tm_status tm_sorter_add(struct tm_sorter *sorter, const struct tm_frame *frame, const struct tm_batch *batch,
                             struct tm_error *err);

/* Writes all frames, then all events in order, but no END. May be called once. TM_OK, TM_E_SYSTEM, or the error of
 * WRITER. */
enum tm_status tm_sorter_write(struct tm_sorter *sorter, struct tm_stream_writer *writer, struct tm_error *err);

void tm_sorter_release(struct tm_sorter *sorter);

#endif
