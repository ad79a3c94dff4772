#include "emit/sqlite/internal.h"

#include "kernel/sched_state.h"

#include <stdlib.h>

struct tm_sqlite_sched {
    struct tm_sched_row row; /* without texts */
    char end_state[TM_SCHED_STATE_TEXT_MAX];
    uint8_t end_state_len; /* 0: none */
};

static struct tm_sqlite_sched *at(struct tm_sqlite_scheds *w, int64_t id)
{
    return &w->rows[(uint64_t)id & (TM_SQLITE_WINDOW - 1)];
}

static void set_end_state(struct tm_sqlite_sched *sched, struct tm_text text)
{
    sched->end_state_len = (uint8_t)(text.data && text.len < sizeof sched->end_state ? text.len : 0);
    if (sched->end_state_len)
        memcpy(sched->end_state, text.data, sched->end_state_len);
}

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    struct tm_sqlite *s = self;
    const struct tm_sqlite_sched *sched = at(&s->scheds, s->scheds.first + i);
    const struct tm_sched_row *row = &sched->row;
    struct tm_text state = {sched->end_state_len ? (const uint8_t *)sched->end_state : NULL, sched->end_state_len};
    switch (column) {
    case 0: sqlite3_result_int64(out, row->id); break;
    case 1: sqlite3_result_int64(out, row->ts); break;
    case 2: sqlite3_result_int64(out, row->dur); break;
    case 3: tm_sqlite_result_id(out, row->dur < 0 ? TM_NO_ID : row->ts + row->dur); break;
    case 4: sqlite3_result_int64(out, row->ucpu % TM_CPUS_A_MACHINE); break;
    case 5: sqlite3_result_int64(out, row->ucpu); break;
    case 6: sqlite3_result_int64(out, row->utid); break;
    case 7: tm_sqlite_result_text(s, out, state); break;
    default:
        if (row->has_priority)
            sqlite3_result_int64(out, row->priority);
        break;
    }
}

void tm_sqlite_scheds_bulk(struct tm_sqlite *s)
{
    s->scheds.bulk = (struct tm_sqlite_bulk){
        .name = "tm_bulk_sched", .schema = "CREATE TABLE x(a,b,c,d,e,f,g,h,i)", .self = s, .column = column_of};
}

enum tm_status tm_sqlite_scheds_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_scheds *w = &s->scheds;
    if (w->count <= keep)
        return TM_OK;
    w->bulk.count = w->count - keep;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_SCHED], err);
    if (st < 0)
        return st;
    w->first += w->bulk.count;
    w->count = keep;
    return TM_OK;
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
    at(w, row->id)->row = *row;
    set_end_state(at(w, row->id), row->end_state);
    w->count++;
    return TM_OK;
}

enum tm_status tm_sqlite_sched_end(void *self, int64_t id, int64_t dur, struct tm_text end_state,
                                   struct tm_error *err)
{
    struct tm_sqlite *s = self;
    enum tm_status st;
    if (id >= s->scheds.first) {
        at(&s->scheds, id)->row.dur = dur;
        set_end_state(at(&s->scheds, id), end_state);
        return TM_OK;
    }
    sqlite3_stmt *stmt = s->statements[TM_SQL_SCHED_END];
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    if ((st = tm_sqlite_bind_text(s, stmt, 3, end_state, err)) < 0)
        return st;
    return tm_sqlite_run(s, stmt, err);
}
