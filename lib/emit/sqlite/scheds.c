#include "emit/sqlite/internal.h"

#include <stdlib.h>

enum { END_STATE_MAX = 31 };

/* A pending row. It fits one line of the cache. */
struct tm_sqlite_sched {
    int64_t ts, dur, ucpu;
    uint32_t utid;
    int32_t priority;
    bool has_priority : 1;
    unsigned end_state_len : 5; /* 0: none */
    char end_state[END_STATE_MAX];
};

static struct tm_sqlite_sched *at(struct tm_sqlite_scheds *w, int64_t id)
{
    return &w->rows[(uint64_t)id & (TM_SQLITE_WINDOW - 1)];
}

static void set_end_state(struct tm_sqlite_sched *sched, struct tm_text text)
{
    sched->end_state_len = text.data && text.len <= END_STATE_MAX ? (unsigned)text.len & END_STATE_MAX : 0;
    if (sched->end_state_len)
        memcpy(sched->end_state, text.data, sched->end_state_len);
}

static enum tm_status write_row(struct tm_sqlite *s, int64_t id, struct tm_error *err)
{
    struct tm_sqlite_record *r = &s->record;
    const struct tm_sqlite_sched *row = at(&s->scheds, id);
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_record_int(r, row->dur);
    tm_sqlite_record_maybe(r, row->dur >= 0, row->ts + row->dur);
    tm_sqlite_record_int(r, row->ucpu % TM_CPUS_A_MACHINE);
    tm_sqlite_record_int(r, row->ucpu);
    tm_sqlite_record_int(r, row->utid);
    tm_sqlite_put_text(s, tm_text_at(row->end_state_len ? row->end_state : NULL, row->end_state_len));
    tm_sqlite_record_maybe(r, row->has_priority, row->priority);
    return tm_sqlite_btree_add(&s->scheds.table, id, r, err);
}

enum tm_status tm_sqlite_scheds_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_scheds *w = &s->scheds;
    enum tm_status st = TM_OK;
    for (; w->count > keep && (st = write_row(s, w->first, err)) == TM_OK; w->first++)
        w->count--;
    return st;
}

enum tm_status tm_sqlite_sched(void *self, const struct tm_sched_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_scheds *w = &s->scheds;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(TM_SQLITE_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_scheds_flush(s, TM_SQLITE_WINDOW / 2, err)) < 0)
        return st;
    struct tm_sqlite_sched *sched = at(w, row->id);
    *sched = (struct tm_sqlite_sched){.ts = row->ts,
                                      .dur = row->dur,
                                      .ucpu = row->ucpu,
                                      .utid = row->utid,
                                      .priority = row->priority,
                                      .has_priority = row->has_priority};
    set_end_state(sched, row->end_state);
    w->count++;
    return TM_OK;
}

enum tm_status tm_sqlite_sched_end(void *self, int64_t id, int64_t dur, struct tm_text end_state,
                                   struct tm_error *err)
{
    struct tm_sqlite *s = self;
    enum tm_status st;
    if (id >= s->scheds.first) {
        at(&s->scheds, id)->dur = dur;
        set_end_state(at(&s->scheds, id), end_state);
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_SCHED_END);
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    if ((st = tm_sqlite_bind_text(s, stmt, 3, end_state, err)) < 0)
        return st;
    return tm_sqlite_run(s, stmt, err);
}
