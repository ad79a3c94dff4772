#include "emit/sqlite/internal.h"

#include "kernel/sched_state.h"

#include <stdlib.h>

enum { FUNCTIONS_MAX = 1 << 12, FUNCTION_BYTES_MAX = 1 << 20 };

/* A row that waits for its end, and for what it waited for. States that do not fit are written at once. */
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

static void column_of(void *self, sqlite3_context *out, uint32_t i, int column)
{
    struct tm_sqlite *s = self;
    struct tm_sqlite_thread_states *w = &s->thread_states;
    const struct tm_sqlite_thread_state *state = at(w, w->first + i);
    const struct tm_thread_state_row *row = &state->row;
    struct tm_text text = {state->state_len ? (const uint8_t *)state->state : NULL, state->state_len}, function;
    switch (column) {
    case 0: sqlite3_result_int64(out, row->id); break;
    case 1: sqlite3_result_int64(out, row->ts); break;
    case 2: sqlite3_result_int64(out, row->dur); break;
    case 3: tm_sqlite_result_id(out, row->ucpu == TM_NO_ID ? TM_NO_ID : row->ucpu % TM_CPUS_A_MACHINE); break;
    case 4: sqlite3_result_int64(out, row->utid); break;
    case 5: tm_sqlite_result_text(s, out, text); break;
    case 6: tm_sqlite_result_id(out, row->io_wait); break;
    case 7:
        if (state->function) {
            function.data = tm_intern_get(&w->functions, state->function - 1, &function.len);
            tm_sqlite_result_text(s, out, function);
        }
        break;
    case 8: tm_sqlite_result_id(out, row->waker_utid); break;
    case 9: tm_sqlite_result_id(out, row->waker_id); break;
    case 10: tm_sqlite_result_id(out, row->irq_context); break;
    default: tm_sqlite_result_id(out, row->ucpu); break;
    }
}

void tm_sqlite_thread_states_bulk(struct tm_sqlite *s)
{
    s->thread_states.bulk = (struct tm_sqlite_bulk){.name = "tm_bulk_thread_state",
                                                    .schema = "CREATE TABLE x(a,b,c,d,e,f,g,h,i,j,k,l)",
                                                    .self = s,
                                                    .column = column_of};
    tm_intern_init(&s->thread_states.functions, FUNCTIONS_MAX, FUNCTION_BYTES_MAX);
}

enum tm_status tm_sqlite_thread_states_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_thread_states *w = &s->thread_states;
    if (w->count <= keep)
        return TM_OK;
    w->bulk.count = w->count - keep;
    enum tm_status st = tm_sqlite_run(s, s->statements[TM_SQL_THREAD_STATE], err);
    if (st < 0)
        return st;
    w->first += w->bulk.count;
    w->count = keep;
    return TM_OK;
}

/* A row with texts of any length. */
static enum tm_status write_whole(struct tm_sqlite *s, const struct tm_thread_state_row *row, struct tm_error *err)
{
    sqlite3_stmt *stmt = s->statements[TM_SQL_THREAD_STATE_WHOLE], *reason = s->statements[TM_SQL_THREAD_STATE_REASON];
    enum tm_status st = tm_sqlite_thread_states_flush(s, 0, err);
    if (st < 0)
        return st;
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->ts);
    sqlite3_bind_int64(stmt, 3, row->dur);
    tm_sqlite_bind_id(stmt, 4, row->ucpu == TM_NO_ID ? TM_NO_ID : row->ucpu % TM_CPUS_A_MACHINE);
    sqlite3_bind_int64(stmt, 5, row->utid);
    tm_sqlite_bind_id(stmt, 7, row->ucpu);
    if ((st = tm_sqlite_bind_text(s, stmt, 6, row->state, err)) < 0 || (st = tm_sqlite_run(s, stmt, err)) < 0)
        return st;
    s->thread_states.first++;
    if (row->io_wait == TM_NO_ID && row->blocked_function.data == NULL)
        return TM_OK;
    sqlite3_bind_int64(reason, 1, row->id);
    tm_sqlite_bind_id(reason, 2, row->io_wait);
    st = tm_sqlite_bind_text(s, reason, 3, row->blocked_function, err);
    return st < 0 ? st : tm_sqlite_run(s, reason, err);
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
        return write_whole(s, row, err);
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
    sqlite3_stmt *stmt = s->statements[TM_SQL_WAKEUP];
    sqlite3_bind_int64(stmt, 1, row->id);
    sqlite3_bind_int64(stmt, 2, row->ts);
    sqlite3_bind_int64(stmt, 3, row->thread_state);
    tm_sqlite_bind_id(stmt, 4, row->irq_context);
    sqlite3_bind_int64(stmt, 5, row->utid);
    sqlite3_bind_int64(stmt, 6, row->waker_utid);
    return tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_thread_state_end(void *self, int64_t id, int64_t dur, struct tm_error *err)
{
    struct tm_sqlite *s = self;
    if (id >= s->thread_states.first) {
        at(&s->thread_states, id)->row.dur = dur;
        return TM_OK;
    }
    sqlite3_stmt *stmt = s->statements[TM_SQL_THREAD_STATE_END];
    sqlite3_bind_int64(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, dur);
    return tm_sqlite_run(s, stmt, err);
}

/* The number of FUNCTION, plus 1. Rows that refer to functions are written before these are forgotten. */
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
    sqlite3_stmt *stmt = s->statements[TM_SQL_THREAD_STATE_REASON];
    sqlite3_bind_int64(stmt, 1, id);
    tm_sqlite_bind_id(stmt, 2, io_wait);
    st = tm_sqlite_bind_text(s, stmt, 3, function, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}
