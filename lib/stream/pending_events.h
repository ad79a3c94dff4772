/* Events that are pending until their time. tm-sort puts definitions before all events. Code that applies or writes a
 * definition at its own time keeps it here until then. */
#ifndef TM_STREAM_PENDING_EVENTS_H
#define TM_STREAM_PENDING_EVENTS_H

#include "base/heap.h"
#include "stream/event.h"

/* The usual limit of an output. */
enum { TM_PENDING_BYTES_MAX = 64 << 20 };

struct tm_pending_event {
    struct tm_event event; /* its payload follows the struct */
    uint64_t tag;          /* the owner's */
    /* private */
    uint64_t order;
    size_t bytes;
    bool is_taken; /* still among the items */
};

/* Zero-initialise. */
struct tm_pending_events {
    size_t bytes_max; /* if more are pending, the earliest are due before their time; 0: no limit (default: 0) */
    uint32_t count;   /* number of pending events */
    /* private */
    struct tm_heap heap; /* pointers to events; the earliest first */
    size_t bytes;
    uint64_t order;
    int64_t next_ns; /* nothing is due before this; 0 at first */
};

/* Keeps a copy of EVENT and sets *PENDING to it, which is valid until it is due. PENDING may be NULL. Events of one
 * time are due in the order in which they were added. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_events_add(struct tm_pending_events *events, const struct tm_event *event,
                                     struct tm_pending_event **pending, struct tm_error *err);

/* Takes the earliest event that is due at NOW_NS. NULL: none. Valid until the next call. */
const struct tm_pending_event *tm_pending_events_due(struct tm_pending_events *events, int64_t now_ns);

/* Returns the event that tm_pending_events_due would take, or NULL. It stays pending. */
struct tm_pending_event *tm_pending_events_first(struct tm_pending_events *events, int64_t now_ns);

/* Takes PENDING before its time. It is valid until the next call of tm_pending_events_due or
 * tm_pending_events_first. */
void tm_pending_events_take(struct tm_pending_events *events, struct tm_pending_event *pending);

/* True if tm_pending_events_due certainly has nothing at NOW_NS. This check is fast. */
static inline bool tm_pending_events_none_due(const struct tm_pending_events *events, int64_t now_ns)
{
    return events->count == 0 || now_ns < events->next_ns;
}

void tm_pending_events_release(struct tm_pending_events *events);

#endif
