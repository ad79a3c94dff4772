/* Threads that sort batches while the caller reads the next ones. Blocks are stored in the order of the batches, so
 * they are those that one thread would store, except for the layouts of their records. */
#ifndef TM_SORT_SORT_THREADS_H
#define TM_SORT_SORT_THREADS_H

#include "sort/block_store.h"
#include "stream/frame.h"

enum { TM_SORT_THREADS_MAX = 4 };

/* The columns that a caller may leave in a batch as they are in its frame (unread of struct tm_batch_store). The
 * threads read them. */
#define TM_SORT_THREADS_UNREAD (~(UINT32_C(1) << TM_COL_FILE | UINT32_C(1) << TM_COL_KIND))

struct tm_sort_threads;

/* Starts COUNT threads, at most TM_SORT_THREADS_MAX; fewer if they cannot be started. They take the order of files from
 * ORDERS and store blocks in STORE. Until tm_sort_threads_wait nothing else may use the store, except for is_shuffled,
 * and ORDERS may not change. Both are borrowed. NULL: no thread can be started. */
struct tm_sort_threads *tm_sort_threads_new(unsigned count, struct tm_block_store *store,
                                            struct tm_file_order *orders);

/* Hands a copy of FRAME over, whose body is a batch. All its files must be known to the order of files. Waits until
 * there is room. TM_OK. Else the error of the first frame that failed, after which only wait and free may follow:
 * TM_E_INPUT "byte N: …" if the batch is damaged, or TM_E_SYSTEM. */
enum tm_status tm_sort_threads_put(struct tm_sort_threads *threads, const struct tm_frame *frame,
                                   struct tm_error *err);

/* Waits until all blocks are stored. Status and errors are those of tm_sort_threads_put. */
enum tm_status tm_sort_threads_wait(struct tm_sort_threads *threads, struct tm_error *err);

/* Ends the threads once they have stored what they have. THREADS may be NULL. */
void tm_sort_threads_free(struct tm_sort_threads *threads);

#endif
