/* Takes the rows of the model and passes them on to another receiver, in the same order. Rows are copied to a block.
 * When the first block is full, a thread is started; from then on the thread passes on up to TM_ROW_BLOCKS blocks while
 * the model fills the next. Without a thread (few rows, or it cannot be started), the caller's thread passes on each
 * block. */
#ifndef TM_EMIT_SQLITE_ROW_QUEUE_H
#define TM_EMIT_SQLITE_ROW_QUEUE_H

#include "base/buf.h"
#include "model/rows.h"
#include "os/handoff.h"

enum { TM_ROW_BLOCKS = 8 };

struct tm_row_queue {
    struct tm_rows rows; /* for the model. An error of the other receiver is returned for a later row */
    /* private */
    const struct tm_rows *to;
    struct tm_buf block;  /* being filled */
    struct tm_buf passed[TM_ROW_BLOCKS]; /* what the thread passes on, a ring */
    struct tm_handoff handoff;
    bool has_thread, is_large; /* is_large: a thread was requested */
};

/* Initialises QUEUE to pass rows on to TO, which is borrowed, has no event function and must outlive QUEUE. QUEUE must
 * not move. */
void tm_row_queue_init(struct tm_row_queue *queue, const struct tm_rows *to);

/* Returns after TO has got all rows. Until the next row the caller may use what belongs to TO. TM_OK, or the error of
 * TO for one of the rows; then only release may follow. */
enum tm_status tm_row_queue_drain(struct tm_row_queue *queue, struct tm_error *err);

/* Ends the thread once TO has got the blocks that the thread has. Rows of the block being filled are dropped. */
void tm_row_queue_release(struct tm_row_queue *queue);

#endif
