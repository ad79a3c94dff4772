#include "emit/single_events.h"

#include "perfetto/compact_rows.h"

#include <stdlib.h>

/* A message whose events have not all been passed on. */
struct message {
    struct tm_compact_rows rows;
    struct tm_event next;
    uint32_t file_order;
    uint8_t payload[];
};

/* True if A comes before B in the order of tm-sort. A_ORDER and B_ORDER are the processing orders of their files. */
static bool is_event_before(const struct tm_event *a, uint32_t a_order, const struct tm_event *b, uint32_t b_order)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns;
    if (a->file != b->file)
        return a_order < b_order;
    return a->position < b->position;
}

static bool is_message_before(const void *a, const void *b)
{
    const struct message *x = *(struct message *const *)a, *y = *(struct message *const *)b;
    return is_event_before(&x->next, x->file_order, &y->next, y->file_order);
}

static const struct tm_heap_order BY_NEXT = {sizeof(struct message *), is_message_before};

static struct message *first_of(const struct tm_single_events *s)
{
    return *(struct message **)s->open.items;
}

static void close_message(struct message *message)
{
    tm_compact_rows_release(&message->rows);
    free(message);
}

/* Passes on the earliest event of the open messages. */
static enum tm_status pass_first(struct tm_single_events *s, struct tm_error *err)
{
    struct message *first = first_of(s);
    enum tm_status st = tm_batch_queue_add(&s->out, &first->next, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&first->rows, &first->next, err);
    if (st == TM_OK)
        tm_heap_replace(&s->open, &BY_NEXT, &first);
    if (st != TM_END)
        return st;
    tm_heap_pop(&s->open, &BY_NEXT, &first);
    close_message(first);
    return TM_OK;
}

static enum tm_status open_message(struct tm_single_events *s, const struct tm_event *whole, struct tm_error *err)
{
    struct tm_event e = *whole;
    if (s->open.count == TM_SINGLE_EVENTS_OPEN_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d messages of scheduling overlap", TM_SINGLE_EVENTS_OPEN_MAX);
    struct message *m = calloc(1, sizeof *m + e.raw_bytes + e.detail_bytes);
    if (m == NULL)
        return tm_error_nomem(err);
    m->file_order = tm_file_order_of(&s->orders, e.file);
    tm_event_move_payload(&e, m->payload);
    enum tm_status st = tm_compact_rows_open(&m->rows, &e, err);
    if (st == TM_OK)
        st = tm_compact_rows_next(&m->rows, &m->next, err);
    if (st == TM_OK)
        st = tm_heap_push(&s->open, &BY_NEXT, &m, err);
    if (st != TM_OK)
        close_message(m);
    return st < 0 ? st : TM_OK;
}

/* True if the first event of the open messages comes before E. */
static bool is_due(const struct tm_single_events *s, const struct tm_event *e)
{
    const struct message *first = s->open.count ? first_of(s) : NULL;
    return first && is_event_before(&first->next, first->file_order, e, tm_file_order_of(&s->orders, e->file));
}

static enum tm_status add_event(struct tm_single_events *s, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_file_order_use(&s->orders, e->file, err);
    const bool is_own = !(e->flags & (TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
    while (st == TM_OK && is_own && is_due(s, e))
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
    if (s->open.count == 0 && !tm_batch_has_kind(batch, TM_KIND_COMPACT_SCHED, TM_KIND_COMPACT_SCHED))
        return tm_batch_queue_pass(&s->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = add_event(s, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

enum tm_status tm_single_events_finish(struct tm_single_events *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && s->open.count)
        st = pass_first(s, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

void tm_single_events_release(struct tm_single_events *s)
{
    struct message **open = s->open.items;
    for (uint32_t i = 0; i < s->open.count; i++)
        close_message(open[i]);
    tm_heap_release(&s->open);
    tm_batch_queue_release(&s->out);
    tm_file_order_release(&s->orders);
    *s = (struct tm_single_events){0};
}
