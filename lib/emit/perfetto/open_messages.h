/* Splits CompactSched messages that overlap, and returns their events in order of time. */
#ifndef TM_EMIT_PERFETTO_OPEN_MESSAGES_H
#define TM_EMIT_PERFETTO_OPEN_MESSAGES_H

#include "model/catalog.h"
#include "perfetto/compact_rows.h"

/* Zero-initialise. */
struct tm_open_messages {
    struct tm_open_message *first; /* private */
    size_t bytes;                  /* bytes that they take */
};

/* Adds EVENT, of kind COMPACT_SCHED, and copies its payload. TM_OK, TM_E_INPUT: the payload is not such a message;
 * TM_E_SYSTEM. */
enum tm_status tm_open_messages_add(struct tm_open_messages *messages, const struct tm_event *event,
                                    struct tm_error *err);

/* True if A comes before B in a sorted stream: by time, order of processing and position. CATALOG knows the files. */
bool tm_open_messages_is_before(const struct tm_catalog *catalog, const struct tm_event *a, const struct tm_event *b);

/* The earliest event if it comes before UNTIL in the order of a sorted stream (NULL: in any case), otherwise NULL.
 * CATALOG knows the files. Valid until tm_open_messages_pop, which must be called next. */
const struct tm_event *tm_open_messages_next(struct tm_open_messages *messages, const struct tm_catalog *catalog,
                                             const struct tm_event *until);

/* Removes the event that tm_open_messages_next returned. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_messages_pop(struct tm_open_messages *messages, struct tm_error *err);

static inline bool tm_open_messages_is_empty(const struct tm_open_messages *messages)
{
    return messages->first == NULL;
}

void tm_open_messages_release(struct tm_open_messages *messages);

#endif
