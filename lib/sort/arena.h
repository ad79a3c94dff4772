/* Memory that is allocated in large pieces and given back all at once. The pieces stay allocated for the next use. A
 * thread backs large pieces with pages before they are filled (os/prefault.h): with large pages until these prove
 * costly. What is used for the last time can go back to the system before the rest. */
#ifndef TM_SORT_ARENA_H
#define TM_SORT_ARENA_H

#include "base/status.h"
#include "os/prefault.h"

#include <stdbool.h>

struct tm_arena_piece;

/* Zero-initialise and set limit_bytes. */
struct tm_arena {
    size_t limit_bytes; /* of all pieces */
    /* private */
    struct tm_arena_piece *pieces; /* the first is the one in use */
    struct tm_arena_piece *idle;
    size_t bytes; /* of pieces in both lists */
    struct tm_prefault *prefault; /* NULL: none so far, or impossible */
    bool has_prefault; /* its start was tried */
    bool has_small_pages; /* large pages are costly, so pages from here on are small */
};

/* Returns LEN bytes, aligned for any object. Returns NULL if they do not fit into the limit (*FULL is then true) or
 * if there is no memory (*FULL is false). */
void *tm_arena_take(struct tm_arena *arena, size_t len, bool *full);

/* Gives everything back; keeps the pieces. */
void tm_arena_clear(struct tm_arena *arena);

/* States that the LEN bytes at MEM, which one call of tm_arena_take returned, are not used any more. A large page goes
 * back to the system as soon as nothing in it is used. Only tm_arena_release may follow, and other calls of this. */
void tm_arena_give_back(struct tm_arena *arena, void *mem, size_t len);

void tm_arena_release(struct tm_arena *arena);

#endif
