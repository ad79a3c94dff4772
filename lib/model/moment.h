/* Events of one moment in the order in which they nest. Chrome JSON does not promise that of two
 * objects with one time the outer one stands first: there ends come before begins, then longer
 * slices before shorter. Other formats are taken in the order they have. Holds the events of one
 * moment, up to a bound past which they go on in their own order. */
#ifndef TM_MODEL_MOMENT_H
#define TM_MODEL_MOMENT_H

#include "base/buf.h"
#include "stream/event.h"

enum { TM_MOMENT_EVENTS_MAX = 1 << 18, TM_MOMENT_BYTES_MAX = 64 << 20 };

/* Zero-initialise. */
struct tm_moment {
    uint32_t count;
    /* private */
    struct tm_moment_event *events;
    uint32_t cap, next;
    struct tm_buf detail;
    bool is_sorted;
};

/* Keeps a copy of EVENT and its detail, without its raw bytes. Lower RANK comes first. */
enum tm_status tm_moment_add(struct tm_moment *moment, const struct tm_event *event, int64_t rank,
                             struct tm_error *err);

/* True when what is held should be taken before more is added. */
bool tm_moment_full(const struct tm_moment *moment);

/* Sorts by rank, then by coming, and shows one after another; false and empty again after the last. */
bool tm_moment_take(struct tm_moment *moment, struct tm_event *event);

void tm_moment_release(struct tm_moment *moment);

#endif
