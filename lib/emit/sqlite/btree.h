/* The rows of one table, written page by page in order of their rowids. SQLite looks for the place of each row that is
 * inserted; where rows come in order that place is known, and a row costs no more than its bytes. The tree is complete
 * once it is finished. Source: "Database File Format" of sqlite.org, "B-tree Pages". */
#ifndef TM_EMIT_SQLITE_BTREE_H
#define TM_EMIT_SQLITE_BTREE_H

#include "emit/sqlite/pages.h"
#include "emit/sqlite/record.h"

enum { TM_SQLITE_LEVELS = 6 }; /* 500 to the sixth is more than the pages of any file */

struct tm_sqlite_page {
    uint8_t bytes[TM_SQLITE_PAGE];
    uint32_t cells, top; /* how many cells, and where the last one put begins */
};

/* A page of the tree, and its last row. */
struct tm_sqlite_child {
    uint32_t page; /* 0: none */
    int64_t rowid;
};

/* Zero-initialise, then init. */
struct tm_sqlite_btree {
    struct tm_sqlite_pages *pages; /* borrowed */
    uint32_t root;                 /* where SQLite has put the empty table */
    /* private */
    struct tm_sqlite_page *leaf;                      /* NULL before the first row */
    struct tm_sqlite_page *levels[TM_SQLITE_LEVELS];  /* the pages above it that are not full */
    struct tm_sqlite_child newest[TM_SQLITE_LEVELS];  /* the last child of each, which is in no cell yet */
    int64_t last;                                     /* the last rowid */
};

void tm_sqlite_btree_init(struct tm_sqlite_btree *tree, struct tm_sqlite_pages *pages, uint32_t root);

/* Adds a row. ROWID is larger than that of the row before. TM_OK; TM_E_INPUT: RECORD has failed because of a text;
 * TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_add(struct tm_sqlite_btree *tree, int64_t rowid, const struct tm_sqlite_record *record,
                                   struct tm_error *err);

/* Reads the record of a row into *PAYLOAD, before finish. TM_OK, TM_END: there is no such row, TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_find(struct tm_sqlite_btree *tree, int64_t rowid, struct tm_buf *payload,
                                    struct tm_error *err);

/* Writes what is left. No row may be added afterwards. */
enum tm_status tm_sqlite_btree_finish(struct tm_sqlite_btree *tree, struct tm_error *err);

void tm_sqlite_btree_release(struct tm_sqlite_btree *tree);

#endif
