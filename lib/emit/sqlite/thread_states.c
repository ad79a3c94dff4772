#include "emit/sqlite/internal.h"

#include <stdlib.h>

enum { DUR_COLUMN = 2, STATE_MAX = 10 };
enum { FUNCTIONS_MAX = 1 << 12, FUNCTION_BYTES_MAX = 1 << 20 };

/* A row that is pending until its end and until the facts about its wait. It fits one line of the cache; the window is
 * larger than most caches. States that do not fit are written at once. */
struct tm_sqlite_thread_state {
    int64_t ts, dur;
    int64_t ucpu, waker_id, io_wait; /* TM_NO_ID: none */
    uint32_t utid;
    int32_t waker_utid; /* TM_NO_ID: none */
    uint32_t function;  /* number in the functions, plus 1; 0: none */
    int8_t irq_context; /* TM_NO_ID: unknown */
    uint8_t state_len;  /* 0: none */
    char state[STATE_MAX];
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
    struct tm_thread_state_row row = {.id = w->first,
                                      .ts = state->ts,
                                      .dur = state->dur,
                                      .utid = state->utid,
                                      .ucpu = state->ucpu,
                                      .waker_utid = state->waker_utid,
                                      .waker_id = state->waker_id,
                                      .irq_context = state->irq_context,
                                      .io_wait = state->io_wait};
    if (state->state_len)
        row.state = tm_text_at((const uint8_t *)state->state, state->state_len);
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

/* TEXT has STATE_MAX bytes at most. */
static void set_state(struct tm_sqlite_thread_state *state, struct tm_text text)
{
    state->state_len = (uint8_t)(text.data ? text.len : 0);
    if (state->state_len)
        memcpy(state->state, text.data, state->state_len);
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
    if (row->state.len > STATE_MAX || row->blocked_function.data || row->io_wait != TM_NO_ID)
        return write_unbuffered(s, row, err);
    if (w->count == TM_SQLITE_WINDOW && (st = tm_sqlite_thread_states_flush(s, TM_SQLITE_WINDOW / 2, err)) < 0)
        return st;
    struct tm_sqlite_thread_state *state = at(w, row->id);
    *state = (struct tm_sqlite_thread_state){.ts = row->ts,
                                             .dur = row->dur,
                                             .ucpu = row->ucpu,
                                             .waker_id = row->waker_id,
                                             .io_wait = TM_NO_ID,
                                             .utid = row->utid,
                                             .waker_utid = (int32_t)row->waker_utid,
                                             .irq_context = (int8_t)row->irq_context};
    set_state(state, row->state);
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
        at(&s->thread_states, id)->dur = dur;
        return TM_OK;
    }
    enum tm_status st = tm_sqlite_btree_change(&s->thread_states.table, id, DUR_COLUMN, dur, err);
    return st == TM_END ? TM_OK : st; /* the row has no open column: it states its own duration */
}

enum tm_status tm_sqlite_thread_state_is(void *self, int64_t id, struct tm_text state, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    if (id >= s->thread_states.first && state.len <= STATE_MAX) {
        set_state(at(&s->thread_states, id), state);
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
        state->io_wait = io_wait;
        state->function = number ? number : state->function;
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_THREAD_STATE_REASON);
    sqlite3_bind_int64(stmt, 1, id);
    tm_sqlite_bind_id(stmt, 2, io_wait);
    st = tm_sqlite_bind_text(s, stmt, 3, function, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}
