#include "emit/pending_definitions.h"

#include <stdlib.h>
#include <string.h>

enum { ANCESTORS_MAX = 100 };

struct tm_late_event {
    struct tm_event event; /* its payload is behind this */
    struct tm_late_needs needs;
    uint64_t order;
    uint32_t places[2]; /* of its keys in keyed, plus 1; 0 not there */
    bool is_done;   /* shown, and still in the heap */
    size_t bytes;
};

static bool before(const struct tm_late_event *a, const struct tm_late_event *b)
{
    return a->event.time_ns != b->event.time_ns ? a->event.time_ns < b->event.time_ns : a->order < b->order;
}

/* Room for one more in the array of pointers. */
static bool grow(struct tm_late_event ***array, uint32_t *cap, uint32_t count)
{
    if (count < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 64;
    struct tm_late_event **grown = realloc(*array, more * sizeof *grown);
    if (grown == NULL)
        return false;
    *array = grown;
    *cap = more;
    return true;
}

/* The one of KEY that waits, or NULL. */
static struct tm_late_event *find(const struct tm_pending_definitions *late, uint64_t key)
{
    uint32_t place;
    return key && tm_map_find(&late->by_key, key, &place) && place ? late->keyed[place - 1] : NULL;
}

static enum tm_status add_key(struct tm_pending_definitions *late, struct tm_late_event *e, uint64_t key,
                              uint32_t *place)
{
    if (key == 0 || find(late, key))
        return TM_OK;
    if (!grow(&late->keyed, &late->keyed_cap, late->keyed_count) ||
        tm_map_set(&late->by_key, key, late->keyed_count + 1) != TM_OK)
        return TM_E_SYSTEM;
    late->keyed[late->keyed_count++] = e;
    *place = late->keyed_count;
    return TM_OK;
}

static void forget_keys(struct tm_pending_definitions *late, struct tm_late_event *e)
{
    for (int i = 0; i < 2; i++)
        if (e->places[i])
            late->keyed[e->places[i] - 1] = NULL;
    e->places[0] = e->places[1] = 0;
}

static void set_next(struct tm_pending_definitions *late)
{
    if (late->heap_count == 0)
        late->next_ns = INT64_MAX;
    else
        late->next_ns = late->bytes > TM_LATE_BYTES_MAX ? INT64_MIN : late->heap[0]->event.time_ns;
}

enum tm_status tm_pending_definitions_add(struct tm_pending_definitions *late, const struct tm_event *event,
                                          struct tm_late_needs needs)
{
    size_t payload = (size_t)event->raw_bytes + event->detail_bytes;
    struct tm_late_event *e = malloc(sizeof *e + payload);
    if (e == NULL)
        return TM_E_SYSTEM;
    *e = (struct tm_late_event){
        .event = *event, .needs = needs, .order = late->order++, .bytes = sizeof *e + payload};
    tm_event_move_payload(&e->event, (uint8_t *)(e + 1));
    if (!grow(&late->heap, &late->heap_cap, late->heap_count) || add_key(late, e, needs.key, &e->places[0]) != TM_OK ||
        add_key(late, e, needs.other_key, &e->places[1]) != TM_OK) {
        forget_keys(late, e);
        free(e);
        return TM_E_SYSTEM;
    }
    uint32_t i = late->heap_count++;
    for (; i > 0 && before(e, late->heap[(i - 1) / 2]); i = (i - 1) / 2)
        late->heap[i] = late->heap[(i - 1) / 2];
    late->heap[i] = e;
    late->count++;
    late->bytes += e->bytes;
    memset(late->absent, 0, sizeof late->absent);
    set_next(late);
    return TM_OK;
}

static struct tm_late_event *pop(struct tm_pending_definitions *late)
{
    struct tm_late_event *least = late->heap[0], *last = late->heap[--late->heap_count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < late->heap_count) {
        if (child + 1 < late->heap_count && before(late->heap[child + 1], late->heap[child]))
            child++;
        if (!before(late->heap[child], last))
            break;
        late->heap[i] = late->heap[child];
        i = child;
    }
    late->heap[i] = last;
    return least;
}

/* E waits no more. */
static const struct tm_event *show(struct tm_pending_definitions *late, struct tm_late_event *e)
{
    forget_keys(late, e);
    e->is_done = true;
    late->count--;
    return &e->event;
}

const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *late, int64_t now_ns)
{
    free(late->taken);
    late->taken = NULL;
    while (late->heap_count && (late->heap[0]->is_done || late->heap[0]->event.time_ns <= now_ns ||
                                late->bytes > TM_LATE_BYTES_MAX)) {
        struct tm_late_event *e = pop(late);
        late->bytes -= e->bytes;
        if (e->is_done) {
            free(e);
            continue;
        }
        late->taken = e;
        return show(late, e);
    }
    set_next(late);
    if (late->count == 0) {
        tm_map_clear(&late->by_key);
        late->keyed_count = 0;
    }
    return NULL;
}

const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *late, uint64_t key)
{
    struct tm_late_event *e = find(late, key), *parent;
    for (int i = 0; e && i < ANCESTORS_MAX && (parent = find(late, e->needs.parent_key)) != NULL && parent != e; i++)
        e = parent;
    if (e == NULL && key)
        late->absent[key % TM_LATE_ABSENT_SLOTS] = key;
    return e ? show(late, e) : NULL;
}

void tm_pending_definitions_release(struct tm_pending_definitions *late)
{
    for (uint32_t i = 0; i < late->heap_count; i++)
        free(late->heap[i]);
    free(late->heap);
    free(late->taken);
    free(late->keyed);
    tm_map_release(&late->by_key);
    *late = (struct tm_pending_definitions){0};
}
