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
    uint32_t next_free;      /* private: of a place without an end: the next one, coded like free */
};

/* Where an end is among the others: this is moved instead of the end. */
struct tm_open_end_place {
    int64_t end_ns;
    uint64_t order;
    uint32_t number; /* of its place */
};

/* As many ends are sorted. Most slices that begin are among the next to end: then they are added without the heap. */
enum { TM_OPEN_ENDS_NEXT_MAX = 32 };

/* Zero-initialise. */
struct tm_open_ends {
    /* private */
    struct tm_open_end_place next[TM_OPEN_ENDS_NEXT_MAX]; /* the next to end, the first of them last */
    uint32_t next_count;
    struct tm_heap heap; /* of struct tm_open_end_place: the others, which end after these */
    struct tm_open_end *places;
    uint32_t count, cap; /* of places, also those without an end */
    uint32_t free;       /* number of a place without an end plus 1; 0: none */
};

/* True if an end is due at UP_TO_NS. */
static inline bool tm_open_ends_are_due(const struct tm_open_ends *ends, int64_t up_to_ns)
{
    const struct tm_open_end_place *first = ends->heap.items;
    if (ends->next_count)
        first = &ends->next[ends->next_count - 1];
    return (ends->next_count || ends->heap.count) && first->end_ns <= up_to_ns;
}

/* Number of ends. */
static inline uint32_t tm_open_ends_count(const struct tm_open_ends *ends)
{
    return ends->next_count + ends->heap.count;
}

/* Returns one of the ends, 0 to count - 1 in no order, which may be changed except for its time and order. Valid until
 * the next push. */
static inline struct tm_open_end *tm_open_ends_get(const struct tm_open_ends *ends, uint32_t i)
{
    const struct tm_open_end_place *later = ends->heap.items;
    return &ends->places[i < ends->next_count ? ends->next[i].number : later[i - ends->next_count].number];
}

/* Adds END. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_ends_push(struct tm_open_ends *ends, const struct tm_open_end *end, struct tm_error *err);

/* Removes the next end and returns it; there must be one. Valid until the next push. */
const struct tm_open_end *tm_open_ends_pop(struct tm_open_ends *ends);

void tm_open_ends_release(struct tm_open_ends *ends);

#endif
