#include "emit/pending_definitions.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { ANCESTORS_MAX = 100 };

struct tm_pending_event {
    struct tm_event event; /* its payload follows */
    struct tm_pending_needs needs;
    uint64_t order;
    uint32_t places[2]; /* places of its keys in keyed, plus 1; 0: absent */
    bool is_done;   /* written, but still in the heap */
    size_t bytes;
};

static bool before(const struct tm_pending_event *a, const struct tm_pending_event *b)
{
    return a->event.time_ns != b->event.time_ns ? a->event.time_ns < b->event.time_ns : a->order < b->order;
}

/* The pending definition with KEY, or NULL. */
static struct tm_pending_event *find(const struct tm_pending_definitions *pending, uint64_t key)
{
    uint32_t place;
    return key && tm_map_find(&pending->by_key, key, &place) && place ? pending->keyed[place - 1] : NULL;
}

static enum tm_status add_key(struct tm_pending_definitions *pending, struct tm_pending_event *e, uint64_t key,
                              uint32_t *place)
{
    if (key == 0 || find(pending, key))
        return TM_OK;
    if (tm_array_grow(&pending->keyed, &pending->keyed_cap, pending->keyed_count, sizeof *pending->keyed, NULL) < 0 ||
        tm_map_set(&pending->by_key, key, pending->keyed_count + 1) != TM_OK)
        return TM_E_SYSTEM;
    pending->keyed[pending->keyed_count++] = e;
    *place = pending->keyed_count;
    return TM_OK;
}

static void forget_keys(struct tm_pending_definitions *pending, struct tm_pending_event *e)
{
    for (int i = 0; i < 2; i++)
        if (e->places[i])
            pending->keyed[e->places[i] - 1] = NULL;
    e->places[0] = e->places[1] = 0;
}

static void set_next(struct tm_pending_definitions *pending)
{
    if (pending->heap_count == 0)
        pending->next_ns = INT64_MAX;
    else
        pending->next_ns = pending->bytes > TM_LATE_BYTES_MAX ? INT64_MIN : pending->heap[0]->event.time_ns;
}

enum tm_status tm_pending_definitions_add(struct tm_pending_definitions *pending, const struct tm_event *event,
                                          struct tm_pending_needs needs)
{
    size_t payload = (size_t)event->raw_bytes + event->detail_bytes;
    struct tm_pending_event *e = malloc(sizeof *e + payload);
    if (e == NULL)
        return TM_E_SYSTEM;
    *e = (struct tm_pending_event){
        .event = *event, .needs = needs, .order = pending->order++, .bytes = sizeof *e + payload};
    tm_event_move_payload(&e->event, (uint8_t *)(e + 1));
    if (tm_array_grow(&pending->heap, &pending->heap_cap, pending->heap_count, sizeof *pending->heap, NULL) < 0 ||
        add_key(pending, e, needs.key, &e->places[0]) != TM_OK ||
        add_key(pending, e, needs.other_key, &e->places[1]) != TM_OK) {
        forget_keys(pending, e);
        free(e);
        return TM_E_SYSTEM;
    }
    uint32_t i = pending->heap_count++;
    for (; i > 0 && before(e, pending->heap[(i - 1) / 2]); i = (i - 1) / 2)
        pending->heap[i] = pending->heap[(i - 1) / 2];
    pending->heap[i] = e;
    pending->count++;
    pending->bytes += e->bytes;
    memset(pending->absent, 0, sizeof pending->absent);
    set_next(pending);
    return TM_OK;
}

static struct tm_pending_event *pop(struct tm_pending_definitions *pending)
{
    struct tm_pending_event *least = pending->heap[0], *last = pending->heap[--pending->heap_count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < pending->heap_count) {
        if (child + 1 < pending->heap_count && before(pending->heap[child + 1], pending->heap[child]))
            child++;
        if (!before(pending->heap[child], last))
            break;
        pending->heap[i] = pending->heap[child];
        i = child;
    }
    pending->heap[i] = last;
    return least;
}

/* E is not pending any more. */
static const struct tm_event *show(struct tm_pending_definitions *pending, struct tm_pending_event *e)
{
    forget_keys(pending, e);
    e->is_done = true;
    pending->count--;
    return &e->event;
}

const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *pending, int64_t now_ns)
{
    free(pending->taken);
    pending->taken = NULL;
    while (pending->heap_count && (pending->heap[0]->is_done || pending->heap[0]->event.time_ns <= now_ns ||
                                   pending->bytes > TM_LATE_BYTES_MAX)) {
        struct tm_pending_event *e = pop(pending);
        pending->bytes -= e->bytes;
        if (e->is_done) {
            free(e);
            continue;
        }
        pending->taken = e;
        return show(pending, e);
    }
    set_next(pending);
    if (pending->count == 0) {
        tm_map_clear(&pending->by_key);
        pending->keyed_count = 0;
    }
    return NULL;
}

const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *pending, uint64_t key)
{
    struct tm_pending_event *e = find(pending, key), *parent;
    for (int i = 0; e && i < ANCESTORS_MAX && (parent = find(pending, e->needs.parent_key)) != NULL && parent != e; i++)
        e = parent;
    if (e == NULL && key)
        pending->absent[key % TM_LATE_ABSENT_SLOTS] = key;
    return e ? show(pending, e) : NULL;
}

void tm_pending_definitions_release(struct tm_pending_definitions *pending)
{
    for (uint32_t i = 0; i < pending->heap_count; i++)
        free(pending->heap[i]);
    free(pending->heap);
    free(pending->taken);
    free(pending->keyed);
    tm_map_release(&pending->by_key);
    *pending = (struct tm_pending_definitions){0};
}
