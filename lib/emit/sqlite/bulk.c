#include "emit/sqlite/bulk.h"

#include <stdlib.h>

struct bulk_table {
    sqlite3_vtab base; /* first, as SQLite asks */
    struct tm_sqlite_bulk *bulk;
};

struct bulk_cursor {
    sqlite3_vtab_cursor base;
    struct tm_sqlite_bulk *bulk;
    uint32_t at;
};

static struct bulk_cursor *cursor_of(sqlite3_vtab_cursor *cursor)
{
    return (struct bulk_cursor *)(void *)cursor;
}

static int bulk_connect(sqlite3 *db, void *client, int argc, const char *const *argv, sqlite3_vtab **out,
                        char **message)
{
    struct tm_sqlite_bulk *bulk = client;
    (void)argc;
    (void)argv;
    (void)message;
    int rc = sqlite3_declare_vtab(db, bulk->schema);
    if (rc != SQLITE_OK)
        return rc;
    struct bulk_table *table = sqlite3_malloc(sizeof *table);
    if (table == NULL)
        return SQLITE_NOMEM;
    *table = (struct bulk_table){.bulk = bulk};
    *out = &table->base;
    return SQLITE_OK;
}

static int bulk_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int bulk_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedCost = 1;
    return SQLITE_OK;
}

static int bulk_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct bulk_cursor *cursor = sqlite3_malloc(sizeof *cursor);
    if (cursor == NULL)
        return SQLITE_NOMEM;
    *cursor = (struct bulk_cursor){.bulk = ((struct bulk_table *)(void *)table)->bulk};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int bulk_close(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int bulk_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv)
{
    (void)number;
    (void)text;
    (void)argc;
    (void)argv;
    cursor_of(cursor)->at = 0;
    return SQLITE_OK;
}

static int bulk_next(sqlite3_vtab_cursor *cursor)
{
    cursor_of(cursor)->at++;
    return SQLITE_OK;
}

static int bulk_eof(sqlite3_vtab_cursor *cursor)
{
    return cursor_of(cursor)->at >= cursor_of(cursor)->bulk->count;
}

static int bulk_column(sqlite3_vtab_cursor *cursor, sqlite3_context *out, int column)
{
    const struct bulk_cursor *c = cursor_of(cursor);
    c->bulk->column(c->bulk->self, out, c->at, column);
    return SQLITE_OK;
}

static int bulk_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    *rowid = cursor_of(cursor)->at;
    return SQLITE_OK;
}

static const sqlite3_module bulk_module = {
    .xConnect = bulk_connect,
    .xBestIndex = bulk_best_index,
    .xDisconnect = bulk_disconnect,
    .xOpen = bulk_open,
    .xClose = bulk_close,
    .xFilter = bulk_filter,
    .xNext = bulk_next,
    .xEof = bulk_eof,
    .xColumn = bulk_column,
    .xRowid = bulk_rowid,
};

int tm_sqlite_bulk_register(sqlite3 *db, struct tm_sqlite_bulk *bulk)
{
    return sqlite3_create_module(db, bulk->name, &bulk_module, bulk);
}
