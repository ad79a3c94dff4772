#include "emit/sqlite/internal.h"

#include <stdlib.h>

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    const struct tm_sqlite_counters *w = &((struct tm_sqlite *)self)->counters;
    const struct tm_counter_row *row = &w->rows[i];
    switch (column) {
    case 0: sqlite3_result_int64(out, w->first + i); break;
    case 1: sqlite3_result_int64(out, row->ts); break;
    case 2: sqlite3_result_int64(out, row->track); break;
    case 3: sqlite3_result_double(out, row->value); break;
    default: tm_sqlite_result_id(out, row->arg_set); break;
    }
}

void tm_sqlite_counters_bulk(struct tm_sqlite *s)
{
    s->counters.bulk = (struct tm_sqlite_bulk){
        .name = "tm_bulk_counter", .schema = "CREATE TABLE x(a,b,c,d,e)", .self = s, .column = column_of};
}

enum tm_status tm_sqlite_counters_flush(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_sqlite_counters *w = &s->counters;
    if (w->count == 0)
        return TM_OK;
    w->bulk.count = w->count;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_COUNTER], err);
    w->first += w->count;
    w->count = 0;
    return st;
}

enum tm_status tm_sqlite_counter(void *self, const struct tm_counter_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_counters *w = &s->counters;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(TM_SQLITE_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_counters_flush(s, err)) < 0)
        return st;
    w->rows[w->count++] = *row;
    return TM_OK;
}
