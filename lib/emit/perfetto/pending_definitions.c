#include "emit/perfetto/pending_definitions.h"

#include "base/table.h"

#include <stdlib.h>

enum { ANCESTORS_MAX = 100 };

/* A definition that has keys. The tag of its event is its place, plus 1. */
struct tm_keyed_definition {
    struct tm_pending_event *pending; /* NULL: it was taken */
    uint64_t parent_key;
};

/* Finds the pending definition with KEY; NULL: none. */
static struct tm_keyed_definition *find(const struct tm_pending_definitions *d, uint64_t key)
{
    uint32_t place;
    if (key == 0 || !tm_map_find(&d->by_key, key, &place))
        return NULL;
    struct tm_keyed_definition *found = &d->keyed[place - 1];
    return found->pending ? found : NULL;
}

/* Gives KEY to the newest definition with keys, unless a pending one has it. */
static enum tm_status add_key(struct tm_pending_definitions *d, uint64_t key, struct tm_error *err)
{
    if (key == 0 || find(d, key))
        return TM_OK;
    return tm_map_set(&d->by_key, key, d->keyed_count) == TM_OK ? TM_OK : tm_error_nomem(err);
}

enum tm_status tm_pending_definitions_add(struct tm_pending_definitions *d, const struct tm_event *event,
                                          struct tm_pending_needs needs, struct tm_error *err)
{
    struct tm_pending_event *pending;
    enum tm_status st = tm_pending_events_add(&d->events, event, &pending, err);
    if (st < 0)
        return st;
    d->additions++;
    if (needs.key == 0 && needs.other_key == 0)
        return TM_OK;
    if ((st = tm_array_grow(&d->keyed, &d->keyed_cap, d->keyed_count, sizeof *d->keyed, err)) < 0)
        return st;
    d->keyed[d->keyed_count++] = (struct tm_keyed_definition){pending, needs.parent_key};
    pending->tag = d->keyed_count;
    st = add_key(d, needs.key, err);
    return st < 0 ? st : add_key(d, needs.other_key, err);
}

const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *d, int64_t now_ns)
{
    const struct tm_pending_event *due = tm_pending_events_due(&d->events, now_ns);
    if (due && due->tag)
        d->keyed[due->tag - 1].pending = NULL;
    if (due)
        return &due->event;
    if (d->events.count == 0) {
        tm_map_clear(&d->by_key);
        d->keyed_count = 0;
    }
    return NULL;
}

const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *d, uint64_t key)
{
    struct tm_keyed_definition *found = find(d, key), *parent;
    for (int i = 0; found && i < ANCESTORS_MAX && (parent = find(d, found->parent_key)) != NULL && parent != found; i++)
        found = parent;
    if (found == NULL)
        return NULL;
    struct tm_pending_event *pending = found->pending;
    tm_pending_events_take(&d->events, pending);
    found->pending = NULL;
    return &pending->event;
}

bool tm_pending_definitions_none_needed(const struct tm_pending_definitions *d, uint64_t key)
{
    return d->events.count == 0 || find(d, key) == NULL;
}

void tm_pending_definitions_release(struct tm_pending_definitions *d)
{
    tm_pending_events_release(&d->events);
    free(d->keyed);
    tm_map_release(&d->by_key);
    *d = (struct tm_pending_definitions){0};
}
