/* Private to collectors: a thread that copies the rows of batches while the caller notes those of the next ones. */
#ifndef TM_SORT_COLLECTOR_THREAD_H
#define TM_SORT_COLLECTOR_THREAD_H

#include "sort/collector_columns.h"

/* Receives full batches. The batch is valid during the call only. */
struct tm_collector_receiver {
    enum tm_status (*write)(void *to, const struct tm_batch *batch, struct tm_error *err);
    void *to;
};

struct tm_collector_thread;

/* Starts a thread that gives batches to RECEIVER, which nothing else may use until tm_collector_thread_wait. NULL if it
 * cannot be started. LIMIT_BYTES is that of tm_collector_init. */
struct tm_collector_thread *tm_collector_thread_new(struct tm_collector_receiver receiver, size_t limit_bytes);

/* Hands BATCH over, after waiting until there is room. BATCH is then empty and has other memory. The blocks of its rows
 * must not change until it is written. TM_OK, or the error of a batch that was put before; then only free
 * may follow. */
enum tm_status tm_collector_thread_put(struct tm_collector_thread *thread, struct tm_noted_batch *batch,
                                       struct tm_error *err);

/* Waits until the receiver has all batches. Status and errors are those of tm_collector_thread_put. */
enum tm_status tm_collector_thread_wait(struct tm_collector_thread *thread, struct tm_error *err);

/* Returns how many of the batches that were put are not written yet. */
unsigned tm_collector_thread_left(struct tm_collector_thread *thread);

/* Ends the thread once the batches are done. THREAD may be NULL. */
void tm_collector_thread_free(struct tm_collector_thread *thread);

#endif
