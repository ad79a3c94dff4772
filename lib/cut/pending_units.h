/* Copies of units that may belong to the state at a cut, in the order in which they came. A unit is an event and the
 * rows derived from it. It is kept as long as something refers to it. */
#ifndef TM_CUT_PENDING_UNITS_H
#define TM_CUT_PENDING_UNITS_H

#include "stream/event.h"

struct tm_pending_unit {
    struct tm_pending_unit *previous, *next;
    uint32_t refs, count;
    uint32_t open_count; /* slices that it begins and that wait for their end (cut/open_units.h) */
    struct tm_event *rows; /* COUNT rows, followed by their payloads */
};

/* Zero-initialise. */
struct tm_pending_units {
    struct tm_pending_unit *first, *last;
};

/* Adds a copy of COUNT rows, without references. NULL if memory ran out. */
struct tm_pending_unit *tm_pending_units_add(struct tm_pending_units *units, const struct tm_event *rows,
                                             uint32_t count);

/* Removes one reference to UNIT, which may be NULL. A unit without any is freed. */
void tm_pending_units_drop(struct tm_pending_units *units, struct tm_pending_unit *unit);

void tm_pending_units_release(struct tm_pending_units *units);

#endif
