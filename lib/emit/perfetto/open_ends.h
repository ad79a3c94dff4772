/* Ends of open slices, in order of time. Memory: the slices open at one time. */
#ifndef TM_EMIT_PERFETTO_OPEN_ENDS_H
#define TM_EMIT_PERFETTO_OPEN_ENDS_H

#include "base/heap.h"

struct tm_open_end {
    int64_t end_ns;
    uint64_t order; /* of the begin; of two ends at one time that of the later begin comes first */
    uint64_t uuid;  /* of the track */
    uint32_t machine, file;
    uint32_t name, category; /* string numbers; 0: none, or not known any more */
    int64_t reader_id;            /* number in reader_slices.h; TM_NO_ID: not followed */
    uint64_t time_uuid;      /* track of the thread-time counter; 0: the thread time is unknown */
    int64_t thread_ns;       /* thread time, if known */
    uint32_t choice;         /* number in deferred_choice.h plus 1; 0: its track is decided */
};

/* Zero-initialise. */
struct tm_open_ends {
    struct tm_heap heap; /* of struct tm_open_end; the first is the next to end */
};

/* Returns the next end, or NULL. Valid until the next push or pop. */
static inline const struct tm_open_end *tm_open_ends_next(const struct tm_open_ends *ends)
{
    return ends->heap.count ? ends->heap.items : NULL;
}

/* Adds END. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_ends_push(struct tm_open_ends *ends, const struct tm_open_end *end, struct tm_error *err);

/* Removes the next end and copies it to *END; there must be one. */
void tm_open_ends_pop(struct tm_open_ends *ends, struct tm_open_end *end);

void tm_open_ends_release(struct tm_open_ends *ends);

#endif
