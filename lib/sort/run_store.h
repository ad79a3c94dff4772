/* All runs on disk, in levels: when a level holds as many runs as may be merged at once, they
 * become one run of the next level. One descriptor a level, few levels whatever the input. */
#ifndef TM_SORT_RUN_STORE_H
#define TM_SORT_RUN_STORE_H

#include "sort/merge.h"
#include "sort/run_file.h"

enum { TM_RUN_LEVELS = 12 };

struct tm_run_level {
    struct tm_run_file file;
    struct tm_run *runs;
    uint32_t count, cap;
};

struct tm_run_store {
    const struct tm_file_order *orders; /* borrowed */
    size_t chunk_bytes;
    uint32_t fan_in; /* runs merged at once: 2 or more */
    const struct tm_block_layouts *layouts; /* of blocks that are added; borrowed */
    size_t read_bytes; /* memory for reading all runs of a merge */
    /* private */
    struct tm_run_level levels[TM_RUN_LEVELS]; /* newer runs in lower levels */
    struct tm_collector gather;
    struct tm_run_writer writer;
    uint64_t sequence; /* of the newest run */
};

/* DIR (NULL: as tm_io_spool) is borrowed; nothing is opened yet. Release is needed in any case. */
enum tm_status tm_run_store_init(struct tm_run_store *store, const struct tm_file_order *orders, const char *dir,
                                 size_t chunk_bytes, struct tm_error *err);

/* Begins a run: its rows go to store->gather, all of them definitions or none. SEQUENCE is above
 * that of all runs before. */
enum tm_status tm_run_store_begin(struct tm_run_store *store, uint64_t sequence, struct tm_error *err);

/* Adds a block to the run, and that is all it gets: as records where it is of records, else through the gather. */
enum tm_status tm_run_store_add(struct tm_run_store *store, struct tm_block *block, struct tm_error *err);

/* True when COUNT runs whose blocks take up to BLOCK_BYTES may be added as they are, so that a merge can read several
 * times as many; the fan-in is lowered to what then can be read at once. */
bool tm_run_store_has_room(struct tm_run_store *store, uint32_t count, size_t block_bytes);

/* Ends it. May merge a level. */
enum tm_status tm_run_store_end(struct tm_run_store *store, struct tm_error *err);

/* Runs read at the same time. Zero-initialise. */
struct tm_run_readers {
    struct tm_run_reader *readers;
    uint32_t reader_count;
    struct tm_merge_source *sources; /* one for each reader; the caller may put its own behind them */
};

/* Merges until no more than fan_in runs are left of either kind. */
enum tm_status tm_run_store_reduce(struct tm_run_store *store, struct tm_error *err);

/* Opens all runs of definitions, or all others, oldest first, with room for MORE sources behind. */
enum tm_status tm_run_store_open(struct tm_run_store *store, bool definitions, uint32_t more,
                                 struct tm_run_readers *readers, struct tm_error *err);

void tm_run_readers_release(struct tm_run_readers *readers);

void tm_run_store_release(struct tm_run_store *store);

#endif
