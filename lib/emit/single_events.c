#include "emit/single_events.h"

/* Passes on the earliest event of the open messages. */
static enum tm_status pass_first(struct tm_single_events *s, struct tm_error *err)
{
    enum tm_status st = tm_batch_queue_add(&s->out, tm_open_messages_first(&s->open), err);
    return st == TM_OK ? tm_open_messages_pop(&s->open, err) : st;
}

static enum tm_status open_message(struct tm_single_events *s, const struct tm_event *e, struct tm_error *err)
{
    if (s->open.heap.count == TM_SINGLE_EVENTS_OPEN_MAX)
        return tm_error_set(err, TM_E_INPUT, "more than %d messages of scheduling overlap", TM_SINGLE_EVENTS_OPEN_MAX);
    return tm_open_messages_add(&s->open, e, tm_file_order_of(&s->orders, e->file), err);
}

static enum tm_status add_event(struct tm_single_events *s, const struct tm_event *e, struct tm_error *err)
{
    enum tm_status st = tm_file_order_use(&s->orders, e->file, err);
    const bool is_own = !(e->flags & (TM_EVENT_DERIVED | TM_EVENT_DEFINITION | TM_EVENT_UNTIMED));
    while (st == TM_OK && is_own && tm_open_messages_are_due(&s->open, e, tm_file_order_of(&s->orders, e->file)))
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
    if (tm_open_messages_is_empty(&s->open) && !tm_batch_has_kind(batch, TM_KIND_COMPACT_SCHED, TM_KIND_COMPACT_SCHED))
        return tm_batch_queue_pass(&s->out, batch, err);
    while (st == TM_OK && tm_batch_next(&walk, &e))
        st = add_event(s, &e, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

enum tm_status tm_single_events_finish(struct tm_single_events *s, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    while (st == TM_OK && !tm_open_messages_is_empty(&s->open))
        st = pass_first(s, err);
    return st < 0 ? st : tm_batch_queue_flush(&s->out, err);
}

void tm_single_events_release(struct tm_single_events *s)
{
    tm_open_messages_release(&s->open);
    tm_batch_queue_release(&s->out);
    tm_file_order_release(&s->orders);
    *s = (struct tm_single_events){0};
}
