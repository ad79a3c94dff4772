#include "emit/sqlite/internal.h"

#include "kernel/sched_state.h"

#include <stdlib.h>

enum { DUR_COLUMN = 2, SHORT_STATE_MAX = 7, IRQ_MAX = 3 };
enum { TEXTS_MAX = 1 << 12, TEXT_BYTES_MAX = 1 << 20 };

/* A row that is pending until its end and until the facts about its wait. It fits one line of the cache; the window is
 * larger than most caches. States that do not fit are written at once. */
struct tm_sqlite_thread_state {
    int64_t ts, dur;
    int64_t ucpu, waker_id, io_wait; /* TM_NO_ID: none */
    uint32_t utid;
    int32_t waker_utid;            /* TM_NO_ID: none */
    uint32_t function, long_state; /* numbers in the texts, plus 1; 0: none */
    unsigned irq : 2;              /* irq_context, counted from TM_NO_ID */
    unsigned state_len : 6;        /* 0: none, or long */
    char state[SHORT_STATE_MAX];
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

/* Returns the text with NUMBER, as rows have it. */
static struct tm_text text_of(const struct tm_sqlite_thread_states *w, uint32_t number)
{
    struct tm_text text = {0};
    if (number)
        text.data = tm_intern_get(&w->texts, number - 1, &text.len);
    return text;
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
                                      .irq_context = (int64_t)state->irq + TM_NO_ID,
                                      .io_wait = state->io_wait};
    row.state = state->state_len ? tm_text_at(state->state, state->state_len) : text_of(w, state->long_state);
    row.blocked_function = text_of(w, state->function);
    w->first++;
    w->count--;
    return write_row(s, &row, err);
}

void tm_sqlite_thread_states_init(struct tm_sqlite *s)
{
    tm_intern_init(&s->thread_states.texts, TEXTS_MAX, TEXT_BYTES_MAX);
}

enum tm_status tm_sqlite_thread_states_flush(struct tm_sqlite *s, uint32_t keep, struct tm_error *err)
{
    struct tm_sqlite_thread_states *w = &s->thread_states;
    enum tm_status st = TM_OK;
    while (st == TM_OK && w->count > keep)
        st = write_first(s, err);
    return st;
}

/* Finds the number of TEXT, plus 1; 0: it has no data. If the table is full, all pending rows are written and it is
 * cleared. */
static enum tm_status text_number(struct tm_sqlite *s, struct tm_text text, uint32_t *number, struct tm_error *err)
{
    struct tm_intern *texts = &s->thread_states.texts;
    enum tm_status st;
    *number = 0;
    if (text.data == NULL)
        return TM_OK;
    if ((st = tm_intern_add(texts, text.data, text.len, number, NULL)) == TM_END) {
        if ((st = tm_sqlite_thread_states_flush(s, 0, err)) < 0)
            return st;
        tm_intern_clear(texts);
        st = tm_intern_add(texts, text.data, text.len, number, NULL);
    }
    *number = st == TM_OK ? *number + 1 : 0;
    return st < 0 ? tm_error_nomem(err) : TM_OK;
}

/* Sets the state to TEXT, whose number is LONG_STATE if it is long. */
static void set_state(struct tm_sqlite_thread_state *state, struct tm_text text, uint32_t long_state)
{
    state->long_state = long_state;
    state->state_len = long_state || text.data == NULL ? 0 : (unsigned)text.len & SHORT_STATE_MAX;
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
    uint32_t long_state = 0;
    if (row->state.len > TM_SCHED_STATE_TEXT_MAX || row->blocked_function.data || row->io_wait != TM_NO_ID)
        return write_unbuffered(s, row, err);
    if (row->state.len > SHORT_STATE_MAX && (st = text_number(s, row->state, &long_state, err)) < 0)
        return st;
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
                                             .irq = (unsigned)(row->irq_context - TM_NO_ID) & IRQ_MAX};
    set_state(state, row->state, long_state);
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
    if (id >= s->thread_states.first && state.len <= SHORT_STATE_MAX) {
        set_state(at(&s->thread_states, id), state, 0);
        return TM_OK;
    }
    sqlite3_stmt *stmt = tm_sqlite_postpone(s, TM_SQL_THREAD_STATE_IS);
    sqlite3_bind_int64(stmt, 1, id);
    enum tm_status st = tm_sqlite_bind_text(s, stmt, 2, state, err);
    return st < 0 ? st : tm_sqlite_run(s, stmt, err);
}

enum tm_status tm_sqlite_thread_state_reason(void *self, int64_t id, int64_t io_wait, struct tm_text function,
                                             struct tm_error *err)
{
    struct tm_sqlite *s = self;
    enum tm_status st = TM_OK;
    uint32_t number = 0;
    if (id >= s->thread_states.first && (st = text_number(s, function, &number, err)) < 0)
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
