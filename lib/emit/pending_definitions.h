/* Definitions that wait for their time. tm-sort puts definitions before all events. But a reader that sorts by window
 * drops packets that come after a later time, and a descriptor is about the process that has its pid at its time. So an
 * output for such readers writes each definition at its time, or earlier if another event needs it. */
#ifndef TM_EMIT_PENDING_DEFINITIONS_H
#define TM_EMIT_PENDING_DEFINITIONS_H

#include "base/map.h"
#include "stream/event.h"

enum { TM_LATE_BYTES_MAX = 64 << 20, TM_LATE_ABSENT_SLOTS = 256 };

/* Keys by which events need a definition before its time; 0 none. */
struct tm_pending_needs {
    uint64_t key, other_key;
    uint64_t parent_key; /* what it needs itself */
};

/* Zero-initialise. */
struct tm_pending_definitions {
    uint32_t count; /* that wait */
    /* private */
    struct tm_pending_event **heap; /* the earliest first */
    uint32_t heap_count, heap_cap;
    struct tm_pending_event *taken; /* the one shown last */
    struct tm_map by_key;        /* -> place in the order of coming, plus 1 */
    struct tm_pending_event **keyed;
    uint32_t keyed_count, keyed_cap;
    size_t bytes;
    uint64_t order;
    int64_t next_ns; /* none is due before; where there is none yet, 0 */
    uint64_t absent[TM_LATE_ABSENT_SLOTS]; /* keys that nothing waits by, each at its remainder */
};

/* Keeps a copy of EVENT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_pending_definitions_add(struct tm_pending_definitions *pending, const struct tm_event *event,
                                          struct tm_pending_needs needs);

/* Takes out the earliest definition that is due at NOW_NS, or that must be written because too many wait. NULL: there
 * is none. Valid until the next call. */
const struct tm_event *tm_pending_definitions_due(struct tm_pending_definitions *pending, int64_t now_ns);

/* Takes out the first definition of KEY that waits; its ancestors come before it. Call it until it returns NULL. */
const struct tm_event *tm_pending_definitions_needed(struct tm_pending_definitions *pending, uint64_t key);

/* True when tm_pending_definitions_due has nothing at NOW_NS, as far as can be said at once. */
static inline bool tm_pending_definitions_none_due(const struct tm_pending_definitions *pending, int64_t now_ns)
{
    return pending->count == 0 || now_ns < pending->next_ns;
}

/* True when tm_pending_definitions_needed has nothing by KEY: found so before, and nothing was added since. */
static inline bool tm_pending_definitions_none_needed(const struct tm_pending_definitions *pending, uint64_t key)
{
    return key == 0 || pending->count == 0 || pending->absent[key % TM_LATE_ABSENT_SLOTS] == key;
}

void tm_pending_definitions_release(struct tm_pending_definitions *pending);

#endif
