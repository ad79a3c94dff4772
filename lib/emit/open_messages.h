/* CompactSched messages (doc/events.md) that overlap in time, and their events in the order of a sorted stream: by
 * time, order of processing and position. Memory grows with the messages that are open. */
#ifndef TM_EMIT_OPEN_MESSAGES_H
#define TM_EMIT_OPEN_MESSAGES_H

#include "base/heap.h"
#include "model/catalog.h"
#include "perfetto/compact_rows.h"

/* Zero-initialise. */
struct tm_open_messages {
    bool borrows_names; /* as in struct tm_compact_rows, for messages that are added from now on */
    size_t bytes;       /* bytes that they take */
    /* private */
    struct tm_heap heap; /* of pointers to them; the one with the earliest event first */
};

/* Adds EVENT, of kind COMPACT_SCHED, and copies its payload. FILE_ORDER is the place of its file in the order of
 * processing. TM_OK; TM_E_INPUT: the payload is not such a message; TM_E_SYSTEM. */
enum tm_status tm_open_messages_add(struct tm_open_messages *messages, const struct tm_event *event,
                                    uint32_t file_order, struct tm_error *err);

/* Returns the earliest event, valid until the next call of add or pop. NULL: there is none. */
const struct tm_event *tm_open_messages_first(const struct tm_open_messages *messages);

/* True if there is an event that comes before EVENT, of the file with FILE_ORDER. */
bool tm_open_messages_are_due(const struct tm_open_messages *messages, const struct tm_event *event,
                              uint32_t file_order);

/* Removes the earliest event; there must be one. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_messages_pop(struct tm_open_messages *messages, struct tm_error *err);

static inline bool tm_open_messages_is_empty(const struct tm_open_messages *messages)
{
    return messages->heap.count == 0;
}

/* Removes all messages. More may be added. */
void tm_open_messages_release(struct tm_open_messages *messages);

/* True if A comes before B in a sorted stream. A_ORDER and B_ORDER are those of their files. */
bool tm_event_comes_before(const struct tm_event *a, uint32_t a_order, const struct tm_event *b, uint32_t b_order);

/* Returns the place of EVENT's file in the order of processing; UINT32_MAX: CATALOG does not have the file. */
static inline uint32_t tm_event_file_order(const struct tm_catalog *catalog, const struct tm_event *event)
{
    return event->file < catalog->file_count ? catalog->files[event->file].processing_order : UINT32_MAX;
}

#endif
