/* Splits rows that are CompactSched messages (doc/events.md) into their events, for an output that takes single events
 * while another takes messages. The order of the events is that of tm-sort. Memory grows with the messages that overlap
 * in time. */
#ifndef TM_EMIT_SINGLE_EVENTS_H
#define TM_EMIT_SINGLE_EVENTS_H

#include "emit/batch_queue.h"
#include "emit/open_messages.h"
#include "sort/file_order.h"

enum { TM_SINGLE_EVENTS_OPEN_MAX = 1 << 14 /* messages at one time, of 64 KB at most */ };

/* Zero-initialise, with .out.receiver set. */
struct tm_single_events {
    struct tm_batch_queue out;
    struct tm_file_order orders; /* learned from frames by the caller */
    /* private */
    struct tm_open_messages open;
};

/* Passes BATCH, events in order of time, to the receiver. A batch without messages is passed unchanged. TM_OK.
 * TM_E_INPUT: a message is damaged, or too many overlap. TM_E_SYSTEM. Or the status of the receiver. */
enum tm_status tm_single_events_batch(struct tm_single_events *events, const struct tm_batch *batch,
                                      struct tm_error *err);

/* Passes the remaining events to the receiver. Returns what tm_single_events_batch returns. */
enum tm_status tm_single_events_finish(struct tm_single_events *events, struct tm_error *err);

void tm_single_events_release(struct tm_single_events *events);

#endif
