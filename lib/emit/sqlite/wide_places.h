/* The places of numbers that may change (tm_sqlite_record_wide), so that a change need not search the tree. Those of
 * the latest rows are remembered, at most TM_WIDE_PLACES in 1 MiB. */
#ifndef TM_EMIT_SQLITE_WIDE_PLACES_H
#define TM_EMIT_SQLITE_WIDE_PLACES_H

#include <stdint.h>

enum { TM_WIDE_PLACES = 1 << 16 };

struct tm_wide_place {
    int64_t rowid;
    uint32_t page;   /* 0: the open leaf */
    uint16_t at;     /* offset in the page */
    uint16_t column; /* counted from 0, which is the rowid; so 0 is no entry */
};

/* Zero-initialise. */
struct tm_wide_places {
    /* private */
    struct tm_wide_place *all; /* by the low bits of the rowid; NULL before the first one */
    uint32_t *in_leaf;         /* the numbers in ALL of those in the open leaf, and how many */
    uint32_t in_leaf_count;
};

/* Remembers that column COLUMN of row ROWID is at AT of the open leaf. The row replaces another one. Without memory it
 * is not remembered. */
void tm_wide_places_add(struct tm_wide_places *places, int64_t rowid, unsigned column, uint32_t at);

/* Notes that the open leaf is page PAGE. The next leaf is open now. */
void tm_wide_places_close(struct tm_wide_places *places, uint32_t page);

/* Returns the place of column COLUMN of row ROWID, valid until the next call of add, or NULL. */
const struct tm_wide_place *tm_wide_places_find(const struct tm_wide_places *places, int64_t rowid, unsigned column);

void tm_wide_places_release(struct tm_wide_places *places);

#endif
