#include "format/perfetto/heap_state.h"

#include <stdlib.h>

struct tm_proto_heap *tm_proto_heap_state_new(const struct tm_proto_sequence *sequence)
{
    struct tm_proto_heap *heap = calloc(1, sizeof *heap);
    if (heap)
        heap->own = (struct tm_proto_sequence){.machine = sequence->machine, .id = sequence->id};
    return heap;
}

void tm_proto_heap_state_clear(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence)
{
    struct tm_proto_heap *heap = sequence->heap;
    if (heap == NULL)
        return;
    sequences->bytes -= heap->own.interned.len + heap->pending.len;
    tm_buf_release(&heap->own.interned);
    tm_proto_map_release(&heap->own.interned_index);
    tm_buf_release(&heap->pending);
    tm_buf_release(&heap->frames);
    tm_heap_totals_release(&heap->totals);
    free(heap);
    sequence->heap = NULL;
}
