#include "emit/perfetto/open_ends.h"

static bool ends_before(const void *a, const void *b)
{
    const struct tm_open_end_place *x = a, *y = b;
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->order > y->order;
}

static const struct tm_heap_order BY_END = {sizeof(struct tm_open_end_place), ends_before};

/* Copies AT, which was just made, part by part: a copy of the whole would wait until the parts are in the cache. */
static void set_place(struct tm_open_end_place *place, const struct tm_open_end_place *at)
{
    place->end_ns = at->end_ns;
    place->order = at->order;
    place->number = at->number;
}

/* Adds AT to the heap. */
static enum tm_status push_later(struct tm_open_ends *ends, const struct tm_open_end_place *at, struct tm_error *err)
{
    struct tm_open_end_place *place = tm_heap_place(&ends->heap, &BY_END, at, err);
    if (place == NULL)
        return TM_E_SYSTEM;
    set_place(place, at);
    return TM_OK;
}

/* True if AT belongs into the heap: it ends after those that are sorted or, without them, after the heap's first. */
static bool is_later(const struct tm_open_ends *ends, const struct tm_open_end_place *at)
{
    if (ends->next_count)
        return ends_before(&ends->next[0], at);
    return ends->heap.count && ends_before(ends->heap.items, at);
}

/* Moves the later half of those that are sorted, as many as there can be, to the heap. */
static enum tm_status make_room(struct tm_open_ends *ends, struct tm_error *err)
{
    enum { HALF = TM_OPEN_ENDS_NEXT_MAX / 2 };
    for (uint32_t i = 0; i < HALF; i++)
        if (push_later(ends, &ends->next[i], err) < 0)
            return TM_E_SYSTEM;
    ends->next_count -= HALF;
    memmove(ends->next, ends->next + HALF, ends->next_count * sizeof *ends->next);
    return TM_OK;
}

/* Adds AT to the heap or to those that are sorted. */
static enum tm_status put(struct tm_open_ends *ends, const struct tm_open_end_place *at, struct tm_error *err)
{
    if (ends->next_count == TM_OPEN_ENDS_NEXT_MAX && !is_later(ends, at) && make_room(ends, err) < 0)
        return TM_E_SYSTEM;
    if (is_later(ends, at)) /* perhaps only since there is room */
        return push_later(ends, at, err);
    uint32_t i = ends->next_count++;
    for (; i > 0 && ends_before(&ends->next[i - 1], at); i--)
        ends->next[i] = ends->next[i - 1];
    set_place(&ends->next[i], at);
    return TM_OK;
}

enum tm_status tm_open_ends_push(struct tm_open_ends *ends, const struct tm_open_end *end, struct tm_error *err)
{
    const bool is_new = ends->free == 0;
    enum tm_status st =
        is_new ? tm_array_grow(&ends->places, &ends->cap, ends->count, sizeof *ends->places, err) : TM_OK;
    const struct tm_open_end_place at = {end->end_ns, end->order, is_new ? ends->count : ends->free - 1};
    if (st < 0 || (st = put(ends, &at, err)) < 0)
        return st;
    if (is_new)
        ends->count++;
    else
        ends->free = ends->places[at.number].next_free;
    ends->places[at.number] = *end;
    return TM_OK;
}

const struct tm_open_end *tm_open_ends_pop(struct tm_open_ends *ends)
{
    struct tm_open_end_place at;
    if (ends->next_count)
        at = ends->next[--ends->next_count];
    else
        tm_heap_pop(&ends->heap, &BY_END, &at);
    ends->places[at.number].next_free = ends->free;
    ends->free = at.number + 1;
    return &ends->places[at.number];
}

void tm_open_ends_release(struct tm_open_ends *ends)
{
    tm_heap_release(&ends->heap);
    free(ends->places);
    *ends = (struct tm_open_ends){.count = 0};
}
