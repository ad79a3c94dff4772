#include "emit/perfetto/open_ends.h"

#include "base/table.h"

#include <stdlib.h>

static bool ends_before(const struct tm_open_end *a, const struct tm_open_end *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

enum tm_status tm_open_ends_push(struct tm_open_ends *ends, struct tm_open_end end)
{
    if (tm_array_grow(&ends->heap, &ends->cap, ends->count, sizeof *ends->heap, NULL) < 0)
        return TM_E_SYSTEM;
    uint32_t at = ends->count++;
    for (; at > 0 && ends_before(&end, &ends->heap[(at - 1) / 2]); at = (at - 1) / 2)
        ends->heap[at] = ends->heap[(at - 1) / 2];
    ends->heap[at] = end;
    return TM_OK;
}

struct tm_open_end tm_open_ends_pop(struct tm_open_ends *ends)
{
    struct tm_open_end first = ends->heap[0], last = ends->heap[--ends->count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < ends->count; at = child) {
        if (child + 1 < ends->count && ends_before(&ends->heap[child + 1], &ends->heap[child]))
            child++;
        if (!ends_before(&ends->heap[child], &last))
            break;
        ends->heap[at] = ends->heap[child];
    }
    ends->heap[at] = last;
    return first;
}

void tm_open_ends_release(struct tm_open_ends *ends)
{
    free(ends->heap);
    *ends = (struct tm_open_ends){0};
}
