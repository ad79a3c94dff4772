#include "emit/sqlite/internal.h"

#include <stdlib.h>

enum { NAMES_MAX = 1 << 12, NAME_BYTES_MAX = 1 << 20 };

/* A row whose name is a number in the names. */
struct tm_sqlite_ftrace_event {
    struct tm_ftrace_row row; /* without texts */
    uint32_t name;
};

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    struct tm_sqlite *s = self;
    const struct tm_sqlite_ftrace_events *w = &s->ftrace_events;
    const struct tm_ftrace_row *row = &w->rows[i].row;
    struct tm_text name;
    switch (column) {
    case 0: sqlite3_result_int64(out, w->first + i); break;
    case 1: sqlite3_result_int64(out, row->ts); break;
    case 2:
        name.data = tm_intern_get(&w->names, w->rows[i].name, &name.len);
        tm_sqlite_result_text(s, out, name);
        break;
    case 3: sqlite3_result_int64(out, row->ucpu % TM_CPUS_A_MACHINE); break;
    case 4: sqlite3_result_int64(out, row->utid); break;
    case 5: tm_sqlite_result_id(out, row->arg_set); break;
    case 6: sqlite3_result_int64(out, row->common_flags); break;
    default: sqlite3_result_int64(out, row->ucpu); break;
    }
}

void tm_sqlite_ftrace_events_bulk(struct tm_sqlite *s)
{
    s->ftrace_events.bulk = (struct tm_sqlite_bulk){.name = "tm_bulk_ftrace_event",
                                                    .schema = "CREATE TABLE x(a,b,c,d,e,f,g,h)",
                                                    .self = s,
                                                    .column = column_of};
    tm_intern_init(&s->ftrace_events.names, NAMES_MAX, NAME_BYTES_MAX);
}

enum tm_status tm_sqlite_ftrace_events_flush(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_sqlite_ftrace_events *w = &s->ftrace_events;
    if (w->count == 0)
        return TM_OK;
    w->bulk.count = w->count;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_FTRACE_EVENT], err);
    w->first += w->count;
    w->count = 0;
    return st;
}

/* The number of NAME. Rows are written before the names are forgotten; a name that is too long by itself is cut. */
static enum tm_status name_number(struct tm_sqlite *s, struct tm_text name, uint32_t *number, struct tm_error *err)
{
    struct tm_intern *names = &s->ftrace_events.names;
    size_t len = name.len < NAME_BYTES_MAX ? name.len : NAME_BYTES_MAX;
    enum tm_status st = tm_intern_add(names, name.data, len, number, NULL);
    if (st == TM_END) {
        if ((st = tm_sqlite_ftrace_events_flush(s, err)) < 0)
            return st;
        tm_intern_clear(names);
        st = tm_intern_add(names, name.data, len, number, NULL);
    }
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_sqlite_ftrace_event(void *self, const struct tm_ftrace_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_ftrace_events *w = &s->ftrace_events;
    uint32_t name;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(TM_SQLITE_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_ftrace_events_flush(s, err)) < 0)
        return st;
    if ((st = name_number(s, row->name, &name, err)) < 0)
        return st;
    w->rows[w->count++] = (struct tm_sqlite_ftrace_event){*row, name};
    return TM_OK;
}
