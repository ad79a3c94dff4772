#include "emit/sqlite/internal.h"

#include "kernel/sched_state.h"

#include <stdlib.h>

enum { DUR_COLUMN = 2 };
enum { FUNCTIONS_MAX = 1 << 12, FUNCTION_BYTES_MAX = 1 << 20 };

/* A row that is pending until its end and until the facts about its wait. States that do not fit are written at
 * once. */
struct tm_sqlite_thread_state {
    struct tm_thread_state_row row; /* without texts */
    char state[TM_SCHED_STATE_TEXT_MAX];
    uint8_t state_len; /* 0: none */
    uint32_t function; /* number in the functions, plus 1; 0: none */
};

static struct tm_sqlite_thread_state *at(struct tm_sqlite_thread_states *w, int64_t id)
{
    return &w->rows[(uint64_t)id & (TM_SQLITE_WINDOW - 1)];
}

static enum tm_status write_row(struct tm_sqlite *s, const struct tm_thread_state_row *row, struct tm_error *err)
{
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    if (row->dur < 0) /* it ends later */
        tm_sqlite_record_wide(r, row->dur);
    else
        tm_sqlite_record_int(r, row->dur);
    tm_sqlite_record_maybe(r, row->ucpu != TM_NO_ID, row->ucpu % TM_CPUS_A_MACHINE);
    tm_sqlite_record_int(r, row->utid);
    tm_sqlite_put_text(s, row->state);
    tm_sqlite_record_id(r, row->io_wait);
    tm_sqlite_put_text(s, row->blocked_function);
    tm_sqlite_record_id(r, row->waker_utid);
    tm_sqlite_record_id(r, row->waker_id);
    tm_sqlite_record_id(r, row->irq_context);
    tm_sqlite_record_id(r, row->ucpu);
    return tm_sqlite_btree_add(&s->thread_states.table, row->id, r, err);
}

/* Writes the oldest pending row. */
static enum tm_status write_first(struct tm_sqlite *s, struct tm_error *err)
{
    struct tm_sqlite_thread_states *w = &s->thread_states;
    const struct tm_sqlite_thread_state *state = at(w, w->first);
    struct tm_thread_state_row row = state->row;
    row.state = (struct tm_text){state->state_len ? (const uint8_t *)state->state : NULL, state->state_len};
    row.blocked_function = (struct tm_text){NULL, 0};
    if (state->function)
        row.blocked_function.data = tm_intern_get(&w->functions, state->function - 1, &row.blocked_function.len);
    w->first++;
    w->count--;
    return write_row(s, &row, err);
}

void tm_sqlite_thread_states_init(struct tm_sqlite *s)
{
    tm_intern_init(&s->thread_states.functions, FUNCTIONS_MAX, FUNCTION_BYTES_MAX);
}

enum tm_status tm_sqlite_thread_states_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_thread_states *w = &s->thread_states;
    enum tm_status st = TM_OK;
    while (st == TM_OK && w->count > keep)
        st = write_first(s, err);
    return st;
}

/* Writes a row with texts of any length, after all pending rows. */
static enum tm_status write_unbuffered(struct tm_sqlite *s, const struct tm_thread_state_row *row, struct tm_error *err)
{
    enum tm_status st = tm_sqlite_thread_states_flush(s, 0, err);
    s->thread_states.first++;
    return st < 0 ? st : write_row(s, row, err);
}

enum tm_status tm_sqlite_thread_state(void *self, const struct tm_thread_state_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_thread_states *w = &s->thread_states;
    enum tm_status st;
    if (w->rows == NULL && (w->rows = calloc(TM_SQLITE_WINDOW, sizeof *w->rows)) == NULL)
        return tm_error_nomem(err);
    struct tm_sqlite_thread_state *state = at(w, row->id);
    if (row->state.len > sizeof state->state || row->blocked_function.data || row->io_wait != TM_NO_ID)
        return write_unbuffered(s, row, err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_thread_states_flush(s, TM_SQLITE_WINDOW / 2, err)) < 0)
        return st;
    state->row = *row;
    state->function = 0;
    state->state_len = (uint8_t)(row->state.data ? row->state.len : 0);
    if (state->state_len)
        memcpy(state->state, row->state.data, state->state_len);
    w->count++;
    return TM_OK;
}

enum tm_status tm_sqlite_wakeup(void *self, const struct tm_wakeup_row *row, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_record *r = &s->record;
    tm_sqlite_record_begin(r);
    tm_sqlite_record_null(r);
    tm_sqlite_record_int(r, row->ts);
    tm_sqlite_record_int(r, row->thread_state);
    tm_sqlite_record_id(r, row->irq_context);
    tm_sqlite_record_int(r, row->utid);
    tm_sqlite_record_int(r, row->waker_utid);
    return tm_sqlite_btree_add(&s->wakeups, row->id, r, err);
}

enum tm_status tm_sqlite_thread_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    if (id >= s->thread_states.first) {
        at(&s->thread_states, id)->row.dur = dur;
        return TM_OK;
    }
    enum tm_status st = tm_sqlite_btree_change(&s->thread_states.table, id, DUR_COLUMN, dur, err);
    if (st <= TM_OK)
        return st;
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_THREAD_STATE_END);
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    return tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_thread_state_is(void *self, int64_t id, struct tm_text state, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    if (id >= s->thread_states.first && state.len <= TM_SCHED_STATE_TEXT_MAX) {
        struct tm_sqlite_thread_state *pending = at(&s->thread_states, id);
        pending->state_len = (uint8_t)(state.data ? state.len : 0);
        if (pending->state_len)
            memcpy(pending->state, state.data, state.len);
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_THREAD_STATE_IS);
    sqlite3_bind_int64(stmt, 1, id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, state, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

/* Finds the number of FUNCTION, plus 1. TM_END: the table was full, so it is cleared after the rows that refer to it
 * were written. */
static enum tm_status function_number(struct tm_sqlite *s, struct tm_text function, uint32_t *number,
                                      struct tm_error *err)
{
    struct tm_intern *functions = &s->thread_states.functions;
    enum tm_status st = tm_intern_add(functions, function.data, function.len, number, NULL);
    if (st == TM_END) {
        if ((st = tm_sqlite_thread_states_flush(s, 0, err)) < 0)
            return st;
        tm_intern_clear(functions);
        return TM_END;
    }
    ++*number;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

enum tm_status tm_sqlite_thread_state_reason(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                             struct tm_error *err)
{
    struct tm_sqlite *s = self;
    enum tm_status st = TM_OK;
    uint32_t number = 0;
    if (id >= s->thread_states.first && function.data)
        st = function_number(s, function, &number, err);
    if (st < 0)
        return st;
    if (id >= s->thread_states.first) {
        struct tm_sqlite_thread_state *state = at(&s->thread_states, id);
        state->row.io_wait = io_wait;
        state->function = number ? number : state->function;
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_THREAD_STATE_REASON);
    sqlite3_bind_int64(stmt, 1, id);
    tm_sqlite_bind_id(stmt, 2, io_wait);
    st = tm_sqlite_bind_text(s, stmt, 3, function, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}
