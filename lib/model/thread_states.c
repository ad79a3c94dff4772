#include "model/thread_states.h"

#include <stdlib.h>
#include <string.h>

enum task_class { UNKNOWN, RUNNING, RUNNABLE, WAITING };

/* The last state of a thread in a file. */
struct tm_thread_last {
    enum task_class task_class; /* UNKNOWN: there is none yet */
    int64_t id, ts;
    int64_t waiting_id; /* the last waiting state since it ran; TM_NO_ID: none */
};

struct tm_thread_recent {
    uint32_t file;
    uint32_t number; /* in LAST, plus 1; 0: none */
};

static const struct tm_text running = {(const uint8_t *)"Running", 7}, runnable = {(const uint8_t *)"R", 1};
static const struct tm_text woken = {(const uint8_t *)"W", 1};

static enum tm_status last_get(struct tm_thread_states *s, struct tm_thread_at at, struct tm_thread_last **last,
                               struct tm_error *err)
{
    enum tm_status st;
    while (s->recent_count <= at.utid) {
        if ((st = tm_array_grow(&s->recent, &s->recent_cap, s->recent_count, sizeof *s->recent, err)) < 0)
            return st;
        s->recent[s->recent_count++] = (struct tm_thread_recent){0};
    }
    struct tm_thread_recent *recent = &s->recent[at.utid];
    if (recent->number == 0 || recent->file != at.file) {
        struct tm_key key = {at.file, at.utid, 0};
        int64_t i = tm_table_find(&s->index, &key);
        if (i == TM_TABLE_NONE) {
            i = s->last_count;
            if ((st = tm_array_grow(&s->last, &s->last_cap, s->last_count, sizeof *s->last, err)) < 0 ||
                (st = tm_table_set(&s->index, &key, i, err)) < 0)
                return st;
            s->last[s->last_count++] = (struct tm_thread_last){.waiting_id = TM_NO_ID};
        }
        *recent = (struct tm_thread_recent){at.file, (uint32_t)i + 1};
    }
    *last = &s->last[recent->number - 1];
    return TM_OK;
}

/* Returns the class of STATE. As in the reference importer, "R+" is waiting too, since it is neither "R" nor "Running".
 * Windows states "Running" for threads that leave a CPU. */
static enum task_class class_of(struct tm_text state)
{
    if (tm_text_is(state, "Running"))
        return RUNNING;
    return state.data && state.len == 1 && state.data[0] == 'R' ? RUNNABLE : WAITING;
}

static enum tm_status close_last(const struct tm_thread_states *s, const struct tm_thread_last *last, int64_t ts,
                                 struct tm_error *err)
{
    return last->task_class == UNKNOWN ? TM_OK : s->rows->thread_state_end(s->rows->self, last->id, ts - last->ts, err);
}

static struct tm_thread_state_row row_of(struct tm_thread_at at, struct tm_text state)
{
    return (struct tm_thread_state_row){.ts = at.ts,
                                        .dur = -1,
                                        .utid = at.utid,
                                        .state = state,
                                        .ucpu = at.is_zircon ? at.ucpu : TM_NO_ID,
                                        .waker_utid = TM_NO_ID,
                                        .waker_id = TM_NO_ID,
                                        .irq_context = TM_NO_ID,
                                        .io_wait = TM_NO_ID};
}

enum tm_status tm_thread_states_add(struct tm_thread_states *s, struct tm_thread_state_row *row, struct tm_error *err)
{
    row->id = s->next_id++;
    return s->rows->thread_state(s->rows->self, row, err);
}

static enum tm_status open_state(struct tm_thread_states *s, struct tm_thread_last *last,
                                 struct tm_thread_state_row *row, enum task_class task_class, struct tm_error *err)
{
    enum tm_status st = tm_thread_states_add(s, row, err);
    int64_t waiting = task_class == WAITING ? row->id : task_class == RUNNING ? TM_NO_ID : last->waiting_id;
    *last = (struct tm_thread_last){task_class, row->id, row->ts, waiting};
    return st;
}

enum tm_status tm_thread_states_off(struct tm_thread_states *s, struct tm_thread_at at, struct tm_text state,
                                    struct tm_error *err)
{
    struct tm_thread_last *last;
    struct tm_thread_state_row row = row_of(at, state);
    enum tm_status st = last_get(s, at, &last, err);
    /* A state other than running did not end here: events between were lost. */
    if (st == TM_OK && (last->task_class == RUNNING || at.is_zircon))
        st = close_last(s, last, at.ts, err);
    return st < 0 ? st : open_state(s, last, &row, class_of(state), err);
}

enum tm_status tm_thread_states_run(struct tm_thread_states *s, struct tm_thread_at at, int64_t ucpu,
                                    struct tm_error *err)
{
    struct tm_thread_last *last;
    struct tm_thread_state_row row = row_of(at, running);
    enum tm_status st = last_get(s, at, &last, err);
    row.ucpu = ucpu;
    if (st == TM_OK)
        st = close_last(s, last, at.ts, err);
    return st < 0 ? st : open_state(s, last, &row, RUNNING, err);
}

/* Begins a runnable state. The waker's own state is stated only if it runs, or if the kernel is Zircon. */
static enum tm_status open_woken(struct tm_thread_states *s, const struct tm_thread_waking *waking,
                                 struct tm_error *err)
{
    const struct tm_thread_at at = waking->woken;
    struct tm_thread_last *last;
    struct tm_thread_state_row row = row_of(at, at.is_zircon ? woken : runnable);
    row.waker_utid = waking->waker;
    row.irq_context = waking->irq_context;
    enum tm_status st = last_get(s, (struct tm_thread_at){.file = at.file, .utid = waking->waker}, &last, err);
    if (st == TM_OK && (last->task_class == RUNNING || (at.is_zircon && last->task_class != UNKNOWN)))
        row.waker_id = last->id;
    if (st == TM_OK)
        st = last_get(s, at, &last, err);
    return st < 0 ? st : open_state(s, last, &row, RUNNABLE, err);
}

enum tm_status tm_thread_states_wake(struct tm_thread_states *s, const struct tm_thread_waking *waking, bool *opened,
                                     struct tm_error *err)
{
    const struct tm_thread_at at = waking->woken;
    struct tm_thread_last *last;
    enum tm_status st = last_get(s, at, &last, err);
    *opened = st == TM_OK && (at.is_zircon || last->task_class == UNKNOWN || last->task_class == WAITING);
    if (*opened) {
        st = close_last(s, last, at.ts, err);
        return st < 0 ? st : open_woken(s, waking, err);
    }
    if (st < 0)
        return st;
    struct tm_wakeup_row row = {s->next_wakeup_id++, at.ts, last->id, waking->irq_context, at.utid, waking->waker};
    return s->rows->wakeup(s->rows->self, &row, err);
}

enum tm_status tm_thread_states_new(struct tm_thread_states *s, struct tm_thread_at at, uint32_t maker,
                                    struct tm_error *err)
{
    return open_woken(s, &(struct tm_thread_waking){at, maker, 0}, err);
}

enum tm_status tm_thread_states_reason(struct tm_thread_states *s, struct tm_thread_at at, int64_t io_wait,
                                       struct tm_text function, struct tm_error *err)
{
    struct tm_thread_last *last;
    enum tm_status st = last_get(s, at, &last, err);
    if (st < 0 || last->waiting_id == TM_NO_ID)
        return st;
    return s->rows->thread_state_reason(s->rows->self, last->waiting_id, io_wait, function, err);
}

void tm_thread_states_release(struct tm_thread_states *s)
{
    free(s->last);
    free(s->recent);
    tm_table_release(&s->index);
    *s = (struct tm_thread_states){0};
}
