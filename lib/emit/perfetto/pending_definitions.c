#include "emit/perfetto/pending_definitions.h"

#include "base/table.h"

#include <stdlib.h>

enum { STEPS_MAX = 100, KEYS = 2 };

/* A definition that has keys. The tag of its event is its place, plus 1. */
struct tm_keyed_definition {
    struct tm_pending_event *pending; /* NULL: it was taken */
    uint64_t parent_key;
    uint32_t keys[KEYS]; /* numbers of its keys, plus 1; 0: none */
    uint32_t next[KEYS]; /* place of the next definition with each of these keys, plus 1; 0: none */
};

/* A key, with places of definitions that have it, plus 1; 0: none. */
struct tm_definition_key {
    uint32_t needed;      /* the one that events find; it may have been taken */
    uint32_t first, last; /* of those that may be pending, in order of arrival */
};

/* Returns the definition at PLACE, counted from 1, if it is pending; NULL: not. */
static struct tm_keyed_definition *pending_at(const struct tm_pending_definitions *d, uint32_t place)
{
    return place && d->keyed[place - 1].pending ? &d->keyed[place - 1] : NULL;
}

/* Finds the pending definition that events need by KEY; NULL: none. */
static struct tm_keyed_definition *find(const struct tm_pending_definitions *d, uint64_t key)
{
    uint32_t number;
    return key && tm_map_find(&d->by_key, key, &number) ? pending_at(d, d->keys[number].needed) : NULL;
}

/* Returns the place of the definition after K with key NUMBER, plus 1, or 0. The place can be changed. */
static uint32_t *next_of(struct tm_keyed_definition *k, uint32_t number)
{
    return &k->next[k->keys[0] == number + 1 ? 0 : 1];
}

/* Sets *NUMBER to that of KEY, which may be new. */
static enum tm_status number_of(struct tm_pending_definitions *d, uint64_t key, uint32_t *number, struct tm_error *err)
{
    if (tm_map_find(&d->by_key, key, number))
        return TM_OK;
    enum tm_status st = tm_array_grow(&d->keys, &d->key_cap, d->key_count, sizeof *d->keys, err);
    if (st < 0)
        return st;
    *number = d->key_count;
    d->keys[d->key_count++] = (struct tm_definition_key){0};
    return tm_map_set(&d->by_key, key, *number) == TM_OK ? TM_OK : tm_error_nomem(err);
}

/* Gives the newest definition with keys that with number AT of NEEDS. */
static enum tm_status add_key(struct tm_pending_definitions *d, const struct tm_pending_needs *needs, int at,
                              struct tm_error *err)
{
    const uint64_t key = at == 0 ? needs->key : needs->other_key;
    const uint32_t place = d->keyed_count;
    uint32_t number;
    if (key == 0)
        return TM_OK;
    enum tm_status st = number_of(d, key, &number, err);
    if (st < 0)
        return st;
    struct tm_definition_key *k = &d->keys[number];
    if (pending_at(d, k->needed) == NULL)
        k->needed = place;
    if (k->last)
        *next_of(&d->keyed[k->last - 1], number) = place;
    else
        k->first = place;
    k->last = place;
    d->keyed[place - 1].keys[at] = number + 1;
    return TM_OK;
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
    d->keyed[d->keyed_count++] = (struct tm_keyed_definition){.pending = pending, .parent_key = needs.parent_key};
    pending->tag = d->keyed_count;
    st = add_key(d, &needs, 0, err);
    return st < 0 || needs.other_key == needs.key ? st : add_key(d, &needs, 1, err);
}

/* Returns the first pending definition with key NUMBER, which has one. */
static struct tm_keyed_definition *first_with(struct tm_pending_definitions *d, uint32_t number)
{
    struct tm_definition_key *k = &d->keys[number];
    while (pending_at(d, k->first) == NULL)
        k->first = *next_of(&d->keyed[k->first - 1], number);
    return &d->keyed[k->first - 1];
}

/* Returns a pending definition that came before K with a key of K; NULL: none. */
static struct tm_keyed_definition *earlier(struct tm_pending_definitions *d, const struct tm_keyed_definition *k)
{
    for (int i = 0; i < KEYS; i++) {
        struct tm_keyed_definition *first = k->keys[i] ? first_with(d, k->keys[i] - 1) : NULL;
        if (first && first < k)
            return first;
    }
    return NULL;
}

static const struct tm_event *take(struct tm_pending_definitions *d, struct tm_keyed_definition *k)
{
    struct tm_pending_event *pending = k->pending;
    tm_pending_events_take(&d->events, pending);
    k->pending = NULL;
    return &pending->event;
}

const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *d, int64_t now_ns)
{
    struct tm_pending_event *due = tm_pending_events_first(&d->events, now_ns);
    if (due == NULL && d->events.count == 0) {
        tm_map_clear(&d->by_key);
        d->keyed_count = d->key_count = 0;
    }
    if (due == NULL)
        return NULL;
    if (due->tag == 0) {
        tm_pending_events_take(&d->events, due);
        return &due->event;
    }
    struct tm_keyed_definition *k = &d->keyed[due->tag - 1], *before;
    for (int i = 0; i < STEPS_MAX && (before = earlier(d, k)) != NULL; i++)
        k = before;
    return take(d, k);
}

const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *d, uint64_t key)
{
    struct tm_keyed_definition *found = find(d, key), *before;
    for (int i = 0; found && i < STEPS_MAX; i++) {
        if ((before = earlier(d, found)) == NULL)
            before = find(d, found->parent_key);
        if (before == NULL || before == found)
            break;
        found = before;
    }
    return found ? take(d, found) : NULL;
}

bool tm_pending_definitions_none_needed(const struct tm_pending_definitions *d, uint64_t key)
{
    return d->events.count == 0 || find(d, key) == NULL;
}

void tm_pending_definitions_release(struct tm_pending_definitions *d)
{
    tm_pending_events_release(&d->events);
    free(d->keyed);
    free(d->keys);
    tm_map_release(&d->by_key);
    *d = (struct tm_pending_definitions){0};
}
