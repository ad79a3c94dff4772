/* A queue of chunks of bytes from several threads to one. The chunks are in lanes. Each lane has one writer, and the
 * reader empties the lanes one after another. So several threads can make the parts of a stream at the same time, and
 * the parts are written in order (doc/parallel.md).
 *
 * All lanes share one bound on memory. A writer waits while the bound is reached. A writer far ahead of the reader has
 * a lower bound: it has time, and memory that was used recently is faster than fresh memory. The writer of the reader's
 * lane does not wait if that lane is empty, so the reader always makes progress. */
#ifndef TM_OS_FRAME_QUEUE_H
#define TM_OS_FRAME_QUEUE_H

#include "base/buf.h"
#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

struct tm_frame_lane;
struct tm_frame_chunk;

struct tm_frame_queue_bounds {
    size_t bytes_max;     /* of all lanes */
    size_t far_bytes_max; /* of all lanes, for the writers of lanes more than NEAR after the reader's */
    uint32_t near;
};

struct tm_frame_queue {
    /* private; all but the lock are under the lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct tm_frame_lane *lanes;
    uint32_t count;
    uint32_t at; /* the lane that the reader is at */
    bool reader_waits; /* for a chunk of that lane */
    struct tm_frame_queue_bounds bounds;
    size_t bytes;
    struct tm_frame_chunk *spares; /* memory of chunks that were taken, for writers: fresh memory costs page faults */
    size_t spare_bytes;            /* together with bytes at most bounds.bytes_max */
};

/* Makes a queue of COUNT lanes that holds about as many bytes as BOUNDS allow. TM_OK or TM_E_SYSTEM. After TM_E_SYSTEM,
 * release must not be called. */
enum tm_status tm_frame_queue_init(struct tm_frame_queue *queue, uint32_t count, struct tm_frame_queue_bounds bounds,
                                   struct tm_error *err);

/* Appends CHUNK to LANE with STAMP, a number for the reader. CHUNK is empty afterwards, and its memory is other memory
 * or none. Waits while the bound is reached. TM_OK; TM_END: the lane is closed, and the chunk is gone; TM_E_SYSTEM. */
enum tm_status tm_frame_queue_put(struct tm_frame_queue *queue, uint32_t lane, struct tm_buf *chunk, uint64_t stamp,
                                  struct tm_error *err);

/* Ends LANE. Its writer must not put more. */
void tm_frame_queue_end(struct tm_frame_queue *queue, uint32_t lane);

/* Moves the next chunk of LANE to CHUNK, whose memory goes back to the writers, and sets *STAMP. Waits for it. The
 * reader is at LANE from now on. TM_OK; TM_END: the lane has ended, or is closed, and CHUNK is as before. */
enum tm_status tm_frame_queue_take(struct tm_frame_queue *queue, uint32_t lane, struct tm_buf *chunk, uint64_t *stamp);

/* A visit of a writer to the reader. */
struct tm_frame_visit {
    bool (*is_needless)(void *arg); /* called under the lock of the queue, which it must not call; NULL: never */
    void *arg;
};

/* Called by the writer of LANE: waits until the reader has taken all of it and waits for more. The reader goes on at
 * the writer's next call. Until then the writer may use what belongs to the reader's thread. Stops waiting when the
 * visit becomes needless; the writer may use nothing of the reader's then. TM_OK; *NEEDLESS tells the two apart.
 * TM_END: the lane is closed. */
enum tm_status tm_frame_queue_visit(struct tm_frame_queue *queue, uint32_t lane, const struct tm_frame_visit *visit,
                                    bool *needless);

/* Wakes all waiting threads. To be called after something made visits needless. */
void tm_frame_queue_wake(struct tm_frame_queue *queue);

/* Drops the bytes in LANE and all that its writer adds from now on. */
void tm_frame_queue_close(struct tm_frame_queue *queue, uint32_t lane);

/* Frees what the queue owns. No thread may use the queue any more. */
void tm_frame_queue_release(struct tm_frame_queue *queue);

#endif
