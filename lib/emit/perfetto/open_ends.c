#include "emit/perfetto/open_ends.h"

static bool ends_before(const void *a, const void *b)
{
    const struct tm_open_end *x = a, *y = b;
    return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->order > y->order;
}

static const struct tm_heap_order BY_END = {sizeof(struct tm_open_end), ends_before};

enum tm_status tm_open_ends_push(struct tm_open_ends *ends, const struct tm_open_end *end, struct tm_error *err)
{
    return tm_heap_push(&ends->heap, &BY_END, end, err);
}

void tm_open_ends_pop(struct tm_open_ends *ends, struct tm_open_end *end)
{
    tm_heap_pop(&ends->heap, &BY_END, end);
}

void tm_open_ends_release(struct tm_open_ends *ends)
{
    tm_heap_release(&ends->heap);
}
