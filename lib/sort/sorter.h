/* Sorts a stream of any size within a memory budget. Frames are kept. Events are sorted batch by batch. Runs that do
 * not fit into memory go to temporary files. All runs are merged at the end (doc/sorting.md). */
#ifndef TM_SORT_SORTER_H
#define TM_SORT_SORTER_H

#include "sort/block_store.h"
#include "sort/frame_file.h"
#include "sort/sort_threads.h"
#include "stream/reader.h"

struct tm_sort_options {
    unsigned long long memory_bytes; /* for events; the rest of the program takes up to 64 MiB more */
    const char *temporary_dir;           /* for temporary files; NULL: $TMPDIR, else /tmp */
    unsigned jobs; /* threads; 0: by the number of processors. Of several, all but one sort batches as they arrive,
                    * TM_SORT_THREADS_MAX at most. Then one merges, and if all events are in memory, others copy what is
                    * merged: one of 2 or 3, TM_COLLECTOR_THREADS_MAX of more */
};

/* Returns the default of memory_bytes for a process that may use SIZE bytes of memory: a sixteenth of them, at least
 * 256 MiB, or a quarter of them if that is less, and at most 4 GiB. */
unsigned long long tm_sort_memory_of(uint64_t size);

/* Returns the directory that OPTIONS select. */
const char *tm_sort_dir(const struct tm_sort_options *options);

struct tm_sorter {
    /* private */
    struct tm_file_order orders;
    struct tm_block_store blocks;
    struct tm_sorted_batch sorted;  /* of batches that the threads do not sort */
    struct tm_batch_store columns;  /* of such batches if there are threads */
    struct tm_sort_threads *threads; /* NULL: none */
    struct tm_frame_file frames;
    struct tm_collector staging; /* joins small batches, and all batches if times are shuffled */
    unsigned jobs;
};

/* Initialises SORTER. OPTIONS' text is borrowed. */
void tm_sorter_init(struct tm_sorter *sorter, const struct tm_sort_options *options);

/* Adds all frames of READER, which nothing else has read from, up to the end of the stream. TM_OK; TM_E_INPUT for a
 * damaged stream, an impossible file id or a second order of a file; TM_E_SYSTEM. */
enum tm_status tm_sorter_read(struct tm_sorter *sorter, struct tm_stream_reader *reader, struct tm_error *err);

/* Writes all frames, then all events in order, but no END. May be called once. TM_OK, TM_E_SYSTEM, or the error of
 * WRITER. */
enum tm_status tm_sorter_write(struct tm_sorter *sorter, struct tm_stream_writer *writer, struct tm_error *err);

void tm_sorter_release(struct tm_sorter *sorter);

#endif
