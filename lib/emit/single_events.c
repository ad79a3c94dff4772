#include "emit/single_events.h"

#include "base/table.h"
#include "perfetto/compact_rows.h"

#include <stdlib.h>

/* A message whose events have not all been passed on. */
struct tm_pending_message {
    struct tm_compact_rows rows;
    struct tm_event next;
    uint8_t payload[];
};

/* The order of tm-sort. */
static bool is_before(const struct tm_single_events *s, const struct tm_event *a, const struct tm_event *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->file != b->file)
        return tm_file_order_of(&s->orders, a->file) < tm_file_order_of(&s->orders, b->file);
    return a->position < b->position;
}

/* Puts MESSAGE in the place of heap entry I, which is free, or below it. */
static void sink_down(struct tm_single_events *s, uint32_t i, struct tm_pending_message *message)
{
    for (uint32_t child; (child = 2 * i + 1) < s->count; i = child) {
        if (child + 1 < s->count && is_before(s, &s->open[child + 1]->next, &s->open[child]->next))
            child++;
        if (!is_before(s, &s->open[child]->next, &message->next))
            break;
        s->open[i] = s->open[child];
    }
    s->open[i] = message;
}

static void close_message(struct tm_pending_message *message)
{
    tm_compact_rows_release(&message->rows);
    free(message);
}

/* Passes on the earliest event of the open messages. */
static enum tm_status pass_first(struct tm_single_events *s, struct tm_error *err)
{
    struct tm_pending_message *first = s->open[0];
    enum tm_status st = tm_batch_queue_add(&s->out, &first->next, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&first->rows, &first->next, err);
    if (st == TM_OK)
        sink_down(s, 0, first);
    if (st != TM_END)
        return st;
    close_message(first);
    if (--s->count)
        sink_down(s, 0, s->open[s->count]);
    return TM_OK;
}

static enum tm_status open_message(struct tm_single_events *s, const struct tm_event *whole, struct tm_error *err)
{
    struct tm_event e = *whole;
    uint32_t i = s->count;
    if (i == TM_SINGLE_EVENTS_OPEN_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d messages of scheduling overlap", TM_SINGLE_EVENTS_OPEN_MAX);
    struct tm_pending_message *m = calloc(1, sizeof *m + e.raw_bytes + e.detail_bytes);
    if (m == NULL)
        return tm_error_nomem(err);
    tm_event_move_payload(&e, m->payload);
    enum tm_status st = tm_compact_rows_open(&m->rows, &e, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&m->rows, &m->next, err);
    if (st == TM_OK)
        st = tm_array_grow(&s->open, &s->cap, i, sizeof *s->open, err);
    if (st != TM_OK) {
        close_message(m);
        return st < 0 ? st : TM_OK;
    }
    s->count++;
    for (; i > 0 && is_before(s, &m->next, &s->open[(i - 1) / 2]->next); i = (i - 1) / 2)
        s->open[i] = s->open[(i - 1) / 2];
    s->open[i] = m;
    return TM_OK;
}

static enum tm_status take(struct tm_single_events *s, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_file_order_use(&s->orders, e->file, err);
    const bool is_own = !(e->flags & (TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
    while (st == TM_OK && is_own && s->count && is_before(s, &s->open[0]->next, e))
        st = pass_first(s, err);
    if (st < 0)
        return st;
    return e->kind == TM_KIND_COMPACT_SCHED ? open_message(s, e, err) : tm_batch_queue_add(&s->out, e, err);
}

enum tm_status tm_single_events_batch(struct tm_single_events *s, const struct tm_batch *batch, struct tm_error *err)
{
    struct tm_batch_walk walk = {.batch = batch};
    struct tm_event e;
    enum tm_status st = TM_OK;
    if (s->count == 0 && !tm_batch_has_kind(batch, TM_KIND_COMPACT_SCHED, TM_KIND_COMPACT_SCHED))
        return tm_batch_queue_pass(&s->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = take(s, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

enum tm_status tm_single_events_finish(struct tm_single_events *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && s->count)
        st = pass_first(s, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

void tm_single_events_release(struct tm_single_events *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        close_message(s->open[i]);
    free(s->open);
    tm_batch_queue_release(&s->out);
    tm_file_order_release(&s->orders);
    *s = (struct tm_single_events){.count = 0};
}
