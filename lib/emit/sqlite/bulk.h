/* Many rows in one statement: buffered rows are shown to SQLite as a table that it copies from,
 *
 *     INSERT INTO slice SELECT * FROM tm_bulk_slice
 *
 * which spares what a statement costs for every row. */
#ifndef TM_EMIT_SQLITE_BULK_H
#define TM_EMIT_SQLITE_BULK_H

#include "base/status.h"

#include <sqlite3.h>
#include <stdint.h>

/* Zero-initialise; filled by the caller. It must outlive the database. */
struct tm_sqlite_bulk {
    const char *name;   /* of the table SQLite sees */
    const char *schema; /* "CREATE TABLE x(a,b)": as many columns as the table that is filled */
    void *self;         /* for column */
    /* Sets the result OUT to COLUMN (from 0) of the Ith buffered row; texts stay where they are
     * until the statement has run. */
    void (*column)(void *self, sqlite3_context *out, uint32_t i, int column);
    uint32_t count;     /* rows to show, set before the statement runs */
};

/* Makes the table known to DB. An SQLite result code. */
int tm_sqlite_bulk_register(sqlite3 *db, struct tm_sqlite_bulk *bulk);

#endif
