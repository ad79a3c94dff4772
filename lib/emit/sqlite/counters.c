#include "emit/sqlite/internal.h"

enum tm_status tm_sqlite_counter(void *self, const struct tm_counter_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_record_int(r, row->track);
    tm_sqlite_record_real(r, row->value);
    tm_sqlite_record_id(r, row->arg_set);
    enum tm_status st = tm_sqlite_btree_add(&s->counters, s->next_counter++, r, err);
    return st < 0 || !row->is_of_sample ? st : tm_sqlite_sample_counter(s, row->track, row->value, err);
}
