/* CompactSched messages being taken apart side by side: their events in order of time. */
#ifndef TM_EMIT_PERFETTO_OPEN_MESSAGES_H
#define TM_EMIT_PERFETTO_OPEN_MESSAGES_H

#include "model/catalog.h"
#include "perfetto/compact_rows.h"

/* Zero-initialise. */
struct tm_open_messages {
    struct tm_open_message *first; /* private */
    size_t bytes;                  /* that they take */
};

/* Adds EVENT, of kind COMPACT_SCHED, whose payload is copied. TM_OK, TM_E_INPUT where that is no such message, or
 * TM_E_SYSTEM. */
enum tm_status tm_open_messages_add(struct tm_open_messages *messages, const struct tm_event *event,
                                    struct tm_error *err);

/* The earliest event, if it comes before UNTIL in the order of a sorted stream (NULL: in any case), else NULL. CATALOG
 * knows the files. Valid until tm_open_messages_pop, which is to be called next. */
const struct tm_event *tm_open_messages_next(struct tm_open_messages *messages, const struct tm_catalog *catalog,
                                             const struct tm_event *until);

/* Takes out what tm_open_messages_next showed. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_open_messages_pop(struct tm_open_messages *messages, struct tm_error *err);

static inline bool tm_open_messages_is_empty(const struct tm_open_messages *messages)
{
    return messages->first == NULL;
}

void tm_open_messages_release(struct tm_open_messages *messages);

#endif
