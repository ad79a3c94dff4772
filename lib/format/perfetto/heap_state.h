/* What a sequence keeps of its heap profiles, until its incremental state is cleared. */
#ifndef TM_FORMAT_PERFETTO_HEAP_STATE_H
#define TM_FORMAT_PERFETTO_HEAP_STATE_H

#include "format/perfetto/heap_totals.h"
#include "format/perfetto/internal.h"

struct tm_proto_heap {
    struct tm_proto_sequence own; /* strings, mappings, frames and stacks that packets of Android 10 hold themselves */
    struct tm_buf pending;        /* process_dumps of packets that others continue */
    struct tm_buf frames;         /* scratch: a stack */
    struct tm_heap_totals totals;
    bool has_index;
    uint64_t index; /* of the last packet */
};

/* The state of SEQUENCE, which is borrowed for the call. NULL: no memory. */
struct tm_proto_heap *tm_proto_heap_state_new(const struct tm_proto_sequence *sequence);

/* Frees what SEQUENCE keeps, if anything. */
void tm_proto_heap_state_clear(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence);

#endif
