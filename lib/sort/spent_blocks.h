/* Blocks in memory that a merge has read to their ends. Their memory goes back to the system while the rest is merged,
 * so the memory of a merge and what its reader writes need not both be there. */
#ifndef TM_SORT_SPENT_BLOCKS_H
#define TM_SORT_SPENT_BLOCKS_H

#include "sort/arena.h"
#include "sort/collector.h"

/* Set the first two members. */
struct tm_spent_blocks {
    struct tm_arena *arena;               /* has the memory of the blocks; borrowed */
    const struct tm_collector *collector; /* gets the rows of the blocks; borrowed */
    /* private */
    struct tm_block *first, *last; /* blocks whose rows COLLECTOR may not have written, linked by their member next */
};

/* States that COLLECTOR has got the last row of BLOCK. BLOCK is valid until COLLECTOR has written it. */
void tm_spent_blocks_add(struct tm_spent_blocks *spent, struct tm_block *block);

#endif
