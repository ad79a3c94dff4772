/* All runs on disk, in levels. When a level holds as many runs as can be merged at once, they become one run of the
 * next level. Each level has one descriptor, and any input needs few levels. Calls return TM_OK or TM_E_SYSTEM. */
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
    uint32_t fan_in; /* runs merged at once, at least 2 */
    const struct tm_block_layouts *layouts; /* layouts of the blocks that are added; borrowed */
    size_t read_bytes; /* memory for reading all runs of a merge */
    /* private */
    struct tm_run_level levels[TM_RUN_LEVELS]; /* newer runs in lower levels */
    struct tm_collector collector;
    struct tm_run_writer writer;
    uint64_t sequence; /* sequence number of the newest run */
};

/* Initialises STORE, which makes its files in DIR (borrowed; NULL: as tm_io_temporary). No file is opened yet. */
void tm_run_store_init(struct tm_run_store *store, const struct tm_file_order *orders, const char *dir,
                       size_t chunk_bytes);

/* Begins a run. Its rows are added to store->collector; either all of them are definitions or none is. SEQUENCE must
 * exceed that of all earlier runs. */
enum tm_status tm_run_store_begin(struct tm_run_store *store, uint64_t sequence, struct tm_error *err);

/* Adds the run's only block: as records if it consists of records, else through the collector. */
enum tm_status tm_run_store_add(struct tm_run_store *store, struct tm_block *block, struct tm_error *err);

/* True if COUNT runs with blocks of up to BLOCK_BYTES can be added as they are and a merge can still read several
 * times as many. Lowers the fan-in to what can then be read at once. */
bool tm_run_store_has_room(struct tm_run_store *store, uint32_t count, size_t block_bytes);

/* Ends the run. May merge a level. */
enum tm_status tm_run_store_end(struct tm_run_store *store, struct tm_error *err);

/* Runs that are read at the same time. Zero-initialise. */
struct tm_run_readers {
    struct tm_run_reader *readers;
    uint32_t reader_count;
    struct tm_run_source *sources; /* one for each reader; the caller may append its own */
};

/* Merges runs until at most fan_in are left of definitions and of other events. */
enum tm_status tm_run_store_reduce(struct tm_run_store *store, struct tm_error *err);

/* True if there is no run. */
bool tm_run_store_is_empty(const struct tm_run_store *store);

/* Opens all runs of definitions, or of other events, oldest first. READERS has room for MORE after them. */
enum tm_status tm_run_store_open(struct tm_run_store *store, bool definitions, uint32_t more,
                                 struct tm_run_readers *readers, struct tm_error *err);

void tm_run_readers_release(struct tm_run_readers *readers);

void tm_run_store_release(struct tm_run_store *store);

#endif
