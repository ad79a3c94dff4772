#include "emit/perfetto/open_ends.h"

static bool ends_before(const void *a, const void *b)
{
    const struct tm_open_end_place *x = a, *y = b;
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->order > y->order;
}

static const struct tm_heap_order BY_END = {sizeof(struct tm_open_end_place), ends_before};

enum tm_status tm_open_ends_push(struct tm_open_ends *ends, const struct tm_open_end *end, struct tm_error *err)
{
    const bool is_new = ends->free == 0;
    enum tm_status st =
        is_new ? tm_array_grow(&ends->places, &ends->cap, ends->count, sizeof *ends->places, err) : TM_OK;
    const struct tm_open_end_place at = {end->end_ns, end->order, is_new ? ends->count : ends->free - 1};
    if (st < 0)
        return st;
    struct tm_open_end_place *place = tm_heap_place(&ends->heap, &BY_END, &at, err);
    if (place == NULL)
        return TM_E_SYSTEM;
    *place = at;
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
