/* The state of a sequence's heap profiles. It lasts until the sequence's incremental state is cleared. */
#ifndef TM_FORMAT_PERFETTO_HEAP_STATE_H
#define TM_FORMAT_PERFETTO_HEAP_STATE_H

#include "format/perfetto/heap_totals.h"
#include "format/perfetto/internal.h"

struct tm_proto_heap {
    struct tm_proto_sequence own; /* strings, mappings, frames and stacks inside profile packets, as in Android 10 */
    struct tm_buf pending;        /* process_dumps of a dump whose last packet has not come */
    struct tm_buf frames;         /* scratch: a stack */
    struct tm_heap_totals totals;
    bool has_index;
    uint64_t index; /* of the last packet */
};

/* Makes the state for SEQUENCE, which is borrowed for the call. NULL: out of memory. The caller stores it in the
 * sequence. */
struct tm_proto_heap *tm_proto_heap_state_new(const struct tm_proto_sequence *sequence);

/* Frees the state of SEQUENCE's heap profiles, if there is one. */
void tm_proto_heap_state_clear(struct tm_proto_sequences *sequences, struct tm_proto_sequence *sequence);

#endif
