/* Private to collectors: threads that copy the rows of batches while the caller notes those of the next ones. Batches
 * are written in their order. */
#ifndef TM_SORT_COLLECTOR_THREADS_H
#define TM_SORT_COLLECTOR_THREADS_H

#include "sort/collector_columns.h"

enum { TM_COLLECTOR_THREADS_MAX = 2 };

struct tm_collector_threads;

/* Starts COUNT threads, at most TM_COLLECTOR_THREADS_MAX; fewer if they cannot be started. They give batches, one at a
 * time, to RECEIVER, which nothing else may use until tm_collector_threads_wait. NULL if none can be started.
 * LIMIT_BYTES is that of tm_collector_init. */
struct tm_collector_threads *tm_collector_threads_new(struct tm_batch_receiver receiver, size_t limit_bytes,
                                                      unsigned count);

/* Hands BATCH over, after waiting until there is room. BATCH is then empty and has other memory. The blocks of its rows
 * must not change until it is written. TM_OK, or the error of a batch that was put before; then only free
 * may follow. */
enum tm_status tm_collector_threads_put(struct tm_collector_threads *threads, struct tm_noted_batch *batch,
                                       struct tm_error *err);

/* Waits until the receiver has all batches. Status and errors are those of tm_collector_threads_put. */
enum tm_status tm_collector_threads_wait(struct tm_collector_threads *threads, struct tm_error *err);

/* Returns how many of the batches that were put are not written yet. */
unsigned tm_collector_threads_left(struct tm_collector_threads *threads);

/* Ends the threads once the batches are done. THREADS may be NULL. */
void tm_collector_threads_free(struct tm_collector_threads *threads);

#endif
