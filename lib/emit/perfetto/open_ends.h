/* Ends of slices that are open, the next to come first. Memory: the slices open at one time. */
#ifndef TM_EMIT_PERFETTO_OPEN_ENDS_H
#define TM_EMIT_PERFETTO_OPEN_ENDS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tm_open_end {
    int64_t end_ns;
    uint64_t order; /* of the begin; of two ends at one time that of the later begin is first */
    uint64_t uuid;  /* of the track */
    uint32_t machine, file;
    uint32_t name, category; /* of the stream's strings; 0 none, or not known any more */
    int64_t twin;            /* reader_slices.h; TM_NO_ID: it is not followed */
    uint64_t time_uuid;      /* of the counter of thread time; 0: how much the thread had then is not known */
    int64_t thread_ns;       /* else its value */
    uint32_t choice;         /* deferred_choice.h: its number plus 1; 0: it is on its track for good */
};

/* Zero-initialise. heap[0] is the next to end, where count is not 0. */
struct tm_open_ends {
    struct tm_open_end *heap;
    uint32_t count, cap;
};

/* TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_ends_push(struct tm_open_ends *ends, struct tm_open_end end);

/* Takes the next to end off; there must be one. */
struct tm_open_end tm_open_ends_pop(struct tm_open_ends *ends);

void tm_open_ends_release(struct tm_open_ends *ends);

#endif
