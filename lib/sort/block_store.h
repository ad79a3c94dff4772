/* All sorted blocks of a stream, as runs: in memory, and beyond a limit on disk. One thread at a time uses it. */
#ifndef TM_SORT_BLOCK_STORE_H
#define TM_SORT_BLOCK_STORE_H

#include "sort/arena.h"
#include "sort/memory_runs.h"
#include "sort/run_store.h"
#include "sort/sorted_batch.h"

#include <stdatomic.h>

struct tm_block_store {
    struct tm_block_layouts layouts; /* of the blocks' records */
    /* Most blocks begin a new run. Joined batches then make half as many runs of twice the size, which is worth a copy
     * of each row. Another thread may read it. */
    atomic_bool is_shuffled;
    /* private */
    const struct tm_file_order *orders;
    struct tm_arena arena;
    struct tm_memory_runs memory;
    uint32_t memory_blocks; /* blocks in memory */
    struct tm_run_store disk;
    struct tm_spent_blocks spent;
    uint64_t sequence;
};

/* Initialises STORE for MEMORY bytes of blocks, which includes what is needed to read runs again. Runs on disk are in
 * DIR. ORDERS and DIR are borrowed. */
void tm_block_store_init(struct tm_block_store *store, const struct tm_file_order *orders, unsigned long long memory,
                         const char *dir);

/* Returns how many bytes of blocks fit into the memory. */
static inline size_t tm_block_store_most(const struct tm_block_store *store)
{
    return store->arena.limit_bytes;
}

/* Stores the block of SORTED, which must come from the store's layouts. If it does not fit into the memory, the runs in
 * memory go to disk first. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_block_store_add(struct tm_block_store *store, struct tm_sorted_batch *sorted, struct tm_error *err);

/* Merges runs on disk until all that are left can be read at once. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_block_store_reduce(struct tm_block_store *store, struct tm_error *err);

/* True if all blocks are in memory. */
static inline bool tm_block_store_is_in_memory(const struct tm_block_store *store)
{
    return tm_run_store_is_empty(&store->disk);
}

/* Adds all definitions, or all other events, to COLLECTOR in order. Memory of blocks goes back to the system once
 * COLLECTOR has written them, so nothing may be stored any more. Must follow tm_block_store_reduce. TM_OK, TM_E_SYSTEM,
 * or the error of COLLECTOR. */
enum tm_status tm_block_store_merge(struct tm_block_store *store, bool definitions, struct tm_collector *collector,
                                    struct tm_error *err);

void tm_block_store_release(struct tm_block_store *store);

#endif
