/* Many rows in one statement. Buffered rows are shown to SQLite as a table, from which it copies:
 *
 * INSERT INTO slice SELECT * FROM tm_bulk_slice
 *
 * This saves the cost of one statement for every row. */
#ifndef TM_EMIT_SQLITE_BULK_H
#define TM_EMIT_SQLITE_BULK_H

#include "base/status.h"

#include <sqlite3.h>
#include <stdint.h>

/* Zero-initialise, then fill in. It must outlive the database. */
struct tm_sqlite_bulk {
    const char *name;   /* of the table that SQLite sees */
    const char *schema; /* "CREATE TABLE x(a,b)", with as many columns as the target table */
    void *self;         /* passed to column */
    /* Sets the result OUT to COLUMN (from 0) of buffered row I. Texts must stay valid until the statement has run. */
    void (*column)(void *self, sqlite3_context *out, uint32_t i, int column);
    uint32_t count;     /* number of rows; set before the statement runs */
};

/* Registers the table with DB. Returns an SQLite result code. */
int tm_sqlite_bulk_register(sqlite3 *db, struct tm_sqlite_bulk *bulk);

#endif
