/* The rows of one table, written page by page in order of their rowids. SQLite searches the place of each row that it
 * inserts. Here the order gives the place, so a row costs only its bytes. The tree is complete after finish. Source:
 * "Database File Format" of sqlite.org, "B-tree Pages". */
#ifndef TM_EMIT_SQLITE_BTREE_H
#define TM_EMIT_SQLITE_BTREE_H

#include "emit/sqlite/pages.h"
#include "emit/sqlite/record.h"
#include "emit/sqlite/wide_places.h"

enum { TM_SQLITE_LEVELS = 6 }; /* 500 to the sixth is more than the pages of any file */

struct tm_sqlite_page {
    uint8_t bytes[TM_SQLITE_PAGE];
    uint32_t cells, top; /* number of cells; start of the last one added */
};

/* A page of the tree, and its last row. */
struct tm_sqlite_child {
    uint32_t page; /* 0: none */
    int64_t rowid;
};

/* Zero-initialise, then init. */
struct tm_sqlite_btree {
    struct tm_sqlite_pages *pages; /* borrowed */
    uint32_t root;                 /* the page where SQLite has the empty table */
    /* private */
    struct tm_sqlite_page *leaf;                      /* NULL before the first row */
    struct tm_sqlite_page *levels[TM_SQLITE_LEVELS];  /* the open pages above the leaf */
    struct tm_sqlite_child newest[TM_SQLITE_LEVELS];  /* the last child of each, not in a cell yet */
    int64_t last;                                     /* the last rowid */
    struct tm_wide_places wides;
};

void tm_sqlite_btree_init(struct tm_sqlite_btree *tree, struct tm_sqlite_pages *pages, uint32_t root);

/* Adds a row. ROWID must be larger than that of the row before. TM_OK; TM_E_INPUT: a text in RECORD is too long;
 * TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_add(struct tm_sqlite_btree *tree, int64_t rowid, const struct tm_sqlite_record *record,
                                   struct tm_error *err);

/* Reads the record of a row into *PAYLOAD. Call before finish. TM_OK; TM_END: there is no such row; TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_find(struct tm_sqlite_btree *tree, int64_t rowid, struct tm_buf *payload,
                                    struct tm_error *err);

/* Changes column COLUMN (from 0) of a row to VALUE, if it was put by tm_sqlite_record_wide. Call before finish. TM_OK;
 * TM_END: there is no such row, or the column is another; TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_change(struct tm_sqlite_btree *tree, int64_t rowid, unsigned column, int64_t value,
                                      struct tm_error *err);

/* Writes the rest. No row may be added after it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_sqlite_btree_finish(struct tm_sqlite_btree *tree, struct tm_error *err);

void tm_sqlite_btree_release(struct tm_sqlite_btree *tree);

#endif
