#include "emit/sqlite/internal.h"

enum tm_status tm_sqlite_ftrace_event(void *self, const struct tm_ftrace_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_put_text(s, row->name);
    tm_sqlite_record_int(r, row->ucpu % TM_CPUS_A_MACHINE);
    tm_sqlite_record_int(r, row->utid);
    tm_sqlite_record_id(r, row->arg_set);
    tm_sqlite_record_int(r, row->common_flags);
    tm_sqlite_record_int(r, row->ucpu);
    return tm_sqlite_btree_add(&s->ftrace_events, s->next_ftrace_event++, r, err);
}
