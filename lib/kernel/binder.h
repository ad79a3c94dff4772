/* The events of Android's binder, as named by BINDER rows (doc/events.md). */
#ifndef TM_KERNEL_BINDER_H
#define TM_KERNEL_BINDER_H

#include "stream/event.h"

enum tm_binder_event {
    TM_BINDER_NONE,
    TM_BINDER_TRANSACTION,
    TM_BINDER_ASYNC,    /* a one-way transaction */
    TM_BINDER_REPLY,
    TM_BINDER_RECEIVED,
    TM_BINDER_COMMAND,
    TM_BINDER_RETURN,
    TM_BINDER_LOCK,
    TM_BINDER_LOCKED,
    TM_BINDER_UNLOCK,
    TM_BINDER_ALLOC,    /* has no BINDER row, only SLICE_ARGS */
    TM_BINDER_EVENTS
};
enum { TM_BINDER_EVENT_MASK = 0xff, TM_BINDER_ONE_WAY = 0x100 };

/* Returns the kernel's name of EVENT. The kernel calls a reply a transaction. */
const char *tm_binder_event_name(enum tm_binder_event event);

/* Returns the binder event of EVENT, a BINDER row or a row that was made of one. NONE for other rows. */
enum tm_binder_event tm_binder_event_of(const struct tm_event *event);

#endif
