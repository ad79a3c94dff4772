/* Rows on their way to the next consumer of tm-emit, collected into batches. */
#ifndef TM_EMIT_BATCH_QUEUE_H
#define TM_EMIT_BATCH_QUEUE_H

#include "stream/batch_builder.h"

/* Zero-initialise, with .receiver set. */
struct tm_batch_queue {
    struct tm_batch_receiver receiver;
    struct tm_batch_builder rows; /* private */
};

/* Adds a copy of E. A full batch goes to the receiver first. TM_OK, TM_E_SYSTEM or what the receiver returned. */
enum tm_status tm_batch_queue_add(struct tm_batch_queue *queue, const struct tm_event *e, struct tm_error *err);

/* Shows the remaining rows to the receiver. TM_OK or what the receiver returned. */
enum tm_status tm_batch_queue_flush(struct tm_batch_queue *queue, struct tm_error *err);

/* Shows BATCH to the receiver unchanged. QUEUE must have no rows. Returns what the receiver returned. */
enum tm_status tm_batch_queue_pass(struct tm_batch_queue *queue, const struct tm_batch *batch, struct tm_error *err);

void tm_batch_queue_release(struct tm_batch_queue *queue);

#endif
