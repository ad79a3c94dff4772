#include "emit/sqlite/internal.h"

sqlite3_stmt *tm_sqlite_postpone(struct tm_sqlite *s, enum tm_sqlite_statement statement)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_POSTPONE];
    sqlite3_bind_null(stmt, 3);
    sqlite3_bind_int64(stmt, 4, statement);
    return stmt;
}

enum tm_status tm_sqlite_postponed_run(struct tm_sqlite *s, struct tm_error *err)
{
    sqlite3_stmt *postponed = s->statements[TM_SQL_POSTPONED];
    enum tm_status st = TM_OK;
    int rc;
    while (st == TM_OK && (rc = sqlite3_step(postponed)) == SQLITE_ROW) {
        sqlite3_stmt *stmt = s->statements[sqlite3_column_int(postponed, 0)];
        for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++)
            sqlite3_bind_value(stmt, i, sqlite3_column_value(postponed, i));
        st = tm_sqlite_run(s, stmt, err);
    }
    if (st == TM_OK && rc != SQLITE_DONE)
        st = tm_sqlite_fail(s, err);
    sqlite3_reset(postponed);
    return st;
}
