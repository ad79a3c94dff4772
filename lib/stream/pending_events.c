#include "stream/pending_events.h"

static bool is_before(const void *a, const void *b)
{
    const struct tm_pending_event *x = *(struct tm_pending_event *const *)a;
    const struct tm_pending_event *y = *(struct tm_pending_event *const *)b;
    return x->event.time_ns != y->event.time_ns ? x->event.time_ns < y->event.time_ns : x->order < y->order;
}

static const struct tm_heap_order BY_TIME = {sizeof(struct tm_pending_event *), is_before};

static struct tm_pending_event *first_of(const struct tm_pending_events *p)
{
    return *(struct tm_pending_event **)p->heap.items;
}

static bool is_too_full(const struct tm_pending_events *p)
{
    return p->bytes_max && p->bytes > p->bytes_max;
}

static void set_next(struct tm_pending_events *p)
{
    if (p->heap.count == 0)
        p->next_ns = INT64_MAX;
    else
        p->next_ns = is_too_full(p) ? INT64_MIN : first_of(p)->event.time_ns;
}

enum tm_status tm_pending_events_add(struct tm_pending_events *p, const struct tm_event *event,
                                     struct tm_pending_event **pending, struct tm_error *err)
{
    size_t payload = (size_t)event->raw_bytes + event->detail_bytes;
    struct tm_pending_event *e = malloc(sizeof *e + payload);
    if (e == NULL)
        return tm_error_nomem(err);
    *e = (struct tm_pending_event){.event = *event, .order = p->order++, .bytes = sizeof *e + payload};
    tm_event_move_payload(&e->event, (uint8_t *)(e + 1));
    enum tm_status st = tm_heap_push(&p->heap, &BY_TIME, &e, err);
    if (st < 0) {
        free(e);
        return st;
    }
    p->count++;
    p->bytes += e->bytes;
    set_next(p);
    if (pending)
        *pending = e;
    return TM_OK;
}

void tm_pending_events_take(struct tm_pending_events *p, struct tm_pending_event *pending)
{
    pending->is_taken = true;
    p->count--;
}

struct tm_pending_event *tm_pending_events_first(struct tm_pending_events *p, int64_t now_ns)
{
    while (p->heap.count && first_of(p)->is_taken) {
        struct tm_pending_event *e;
        tm_heap_pop(&p->heap, &BY_TIME, &e);
        p->bytes -= e->bytes;
        free(e);
    }
    if (p->heap.count && (first_of(p)->event.time_ns <= now_ns || is_too_full(p)))
        return first_of(p);
    set_next(p);
    return NULL;
}

const struct tm_pending_event *tm_pending_events_due(struct tm_pending_events *p, int64_t now_ns)
{
    struct tm_pending_event *due = tm_pending_events_first(p, now_ns);
    if (due)
        tm_pending_events_take(p, due);
    return due;
}

void tm_pending_events_release(struct tm_pending_events *p)
{
    struct tm_pending_event **all = p->heap.items;
    for (uint32_t i = 0; i < p->heap.count; i++)
        free(all[i]);
    tm_heap_release(&p->heap);
    *p = (struct tm_pending_events){0};
}
