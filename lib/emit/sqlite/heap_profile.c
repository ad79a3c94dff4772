#include "emit/sqlite/internal.h"

enum tm_status tm_sqlite_heap_dump(void *self, const struct tm_heap_dump_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_HEAP_DUMP];
    sqlite3_bind_int64(stmt, 1, s->next_heap_dump++);
    sqlite3_bind_int64(stmt, 2, row->ts);
    sqlite3_bind_int64(stmt, 3, row->dur);
    sqlite3_bind_int64(stmt, 4, row->upid);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 5, row->heap, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_allocation(void *self, const struct tm_allocation_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    sqlite3_stmt *stmt = s->statements[TM_SQL_ALLOCATION];
    sqlite3_bind_int64(stmt, 1, s->next_allocation++);
    sqlite3_bind_int64(stmt, 2, row->ts);
    sqlite3_bind_int64(stmt, 3, row->upid);
    tm_sqlite_bind_id(stmt, 5, row->callsite);
    sqlite3_bind_int64(stmt, 6, row->count);
    sqlite3_bind_int64(stmt, 7, row->bytes);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 4, row->heap, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}
