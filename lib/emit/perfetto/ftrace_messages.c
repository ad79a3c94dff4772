/* Writes CompactSched messages. A message is written unchanged if no other event of its cpu overlaps it; else its
 * events are written one by one. The next event of the cpu decides. */
#include "emit/perfetto/ftrace_bundle.h"

#include <stdlib.h>

enum { PENDING_BYTES_MAX = 16 << 20 };

struct tm_ftrace_pending {
    struct tm_event event;
    int64_t last_ns;
    size_t bytes;
    uint8_t payload[];
};

static void drop_pending(struct tm_ftrace_writer *w, struct tm_ftrace_cpu *c)
{
    if (c->pending == NULL)
        return;
    w->pending_bytes -= sizeof *c->pending + c->pending->bytes;
    free(c->pending);
    c->pending = NULL;
}

static enum tm_status add_pending(struct tm_ftrace_writer *w, struct tm_ftrace_cpu *c, const struct tm_event *e,
                                  struct tm_error *err)
{
    size_t bytes = (size_t)e->raw_bytes + e->detail_bytes;
    struct tm_ftrace_pending *m = malloc(sizeof *m + bytes);
    if (m == NULL)
        return tm_error_nomem(err);
    m->event = *e;
    m->last_ns = tm_compact_rows_last(e->time_ns, e->dur_ns);
    m->bytes = bytes;
    tm_event_move_payload(&m->event, m->payload);
    c->pending = m;
    w->pending_bytes += sizeof *m + bytes;
    return TM_OK;
}

/* Splits the message E: from now on its events are written one by one. */
static enum tm_status open_message(struct tm_ftrace_writer *w, struct tm_ftrace_cpu *c, const struct tm_event *e,
                                   struct tm_error *err)
{
    size_t before = c->messages.bytes;
    enum tm_status st = tm_open_messages_add(&c->messages, e, tm_event_file_order(w->packets->catalog, e), err);
    w->pending_bytes += c->messages.bytes - before;
    return st;
}

/* Writes the events of split messages that come before UNTIL; NULL: all. */
static enum tm_status put_events(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *until,
                                 struct tm_error *err)
{
    struct tm_open_messages *messages = &b->task->messages;
    const uint32_t order = until ? tm_event_file_order(w->packets->catalog, until) : 0;
    const size_t before = messages->bytes;
    enum tm_status st = TM_OK;
    while (st == TM_OK && !tm_open_messages_is_empty(messages) &&
           (until == NULL || tm_open_messages_are_due(messages, until, order))) {
        st = tm_ftrace_put_sched(w, b, tm_open_messages_first(messages), err);
        if (st == TM_OK)
            st = tm_open_messages_pop(messages, err);
    }
    w->pending_bytes -= before - messages->bytes;
    return st;
}

/* Writes E unchanged, in a bundle of its own unless the open one has no switches. */
static enum tm_status put_whole(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b, const struct tm_event *e,
                                struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (b->has_switch || !tm_compact_sched_is_empty(&b->sched))
        st = tm_ftrace_bundle_write(w, b, err);
    if (st < 0)
        return st;
    st = tm_compact_message_put(&b->events, TM_BUNDLE_COMPACT_SCHED, e->raw, e->raw_bytes, e->time_ns);
    if (st == TM_E_INPUT)
        return tm_error_set(err, TM_E_INPUT, "event %llu: raw bytes are not a valid CompactSched",
                            (unsigned long long)e->position);
    if (st < 0)
        return tm_error_nomem(err);
    if (e->flags & TM_EVENT_HAS_PID)
        tm_ftrace_note_switch(w, b, e);
    b->task->fits += (uint32_t)tm_event_count(TM_KIND_COMPACT_SCHED, e->value);
    return tm_ftrace_bundle_write(w, b, err);
}

enum tm_status tm_ftrace_messages_until(struct tm_ftrace_writer *w, struct tm_ftrace_bundle *b,
                                        const struct tm_event *until, struct tm_error *err)
{
    enum tm_status st = TM_OK;
    if (b->task->pending) {
        const struct tm_event *e = &b->task->pending->event;
        bool is_past = until == NULL || b->task->pending->last_ns < until->time_ns;
        bool is_whole = is_past && tm_ftrace_is_next(w, b, e);
        st = is_whole ? put_whole(w, b, e, err) : open_message(w, b->task, e, err);
        drop_pending(w, b->task);
    }
    return st < 0 || tm_open_messages_is_empty(&b->task->messages) ? st : put_events(w, b, until, err);
}

enum tm_status tm_ftrace_all_messages_until(struct tm_ftrace_writer *w, const struct tm_event *until,
                                            struct tm_error *err)
{
    enum tm_status st = TM_OK;
    for (uint32_t i = 0; i < w->cpu_count && w->pending_bytes && st == TM_OK; i++) {
        const struct tm_event of_cpu = {.machine = w->cpus[i]->machine, .cpu = w->cpus[i]->cpu};
        struct tm_ftrace_bundle *b;
        if (!tm_ftrace_has_messages(w->cpus[i]))
            continue;
        st = tm_ftrace_bundle_open(w, &of_cpu, &b, err);
        if (st == TM_OK)
            st = tm_ftrace_messages_until(w, b, until, err);
    }
    return st;
}

bool tm_ftrace_messages_are_many(const struct tm_ftrace_writer *w)
{
    return w->pending_bytes > PENDING_BYTES_MAX;
}

enum tm_status tm_ftrace_messages_add(struct tm_ftrace_writer *w, struct tm_ftrace_cpu *c, const struct tm_event *e,
                                      struct tm_error *err)
{
    return tm_open_messages_is_empty(&c->messages) ? add_pending(w, c, e, err) : open_message(w, c, e, err);
}

void tm_ftrace_messages_drop(struct tm_ftrace_writer *w, struct tm_ftrace_cpu *c)
{
    drop_pending(w, c);
    w->pending_bytes -= c->messages.bytes;
    tm_open_messages_release(&c->messages);
}
