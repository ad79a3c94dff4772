/* Puts what the head of a line of ftrace text states before what the event of the line does. The head has the name and
 * the process of the task that ran; in the stream it is a TASK_RENAME derived from the line's row, so it follows that
 * row. The event may refer to the task, and means the one that the head states. Source: doc/events.md, Scheduling. */
#ifndef TM_EMIT_LINE_HEADS_H
#define TM_EMIT_LINE_HEADS_H

#include "base/buf.h"
#include "emit/batch_queue.h"

/* Zero-initialise, with .out.receiver set. */
struct tm_line_heads {
    struct tm_batch_queue out; /* passes the rows on */
    /* private */
    struct tm_event line; /* the last row, if that is a line whose head may follow */
    struct tm_buf payload; /* of line */
    bool has_line;
};

/* Passes on the rows of BATCH, the head of a line before the line. The last row is pending until the next call if it is
 * a line. TM_OK, TM_E_SYSTEM or what the receiver returned. */
enum tm_status tm_line_heads_batch(struct tm_line_heads *heads, const struct tm_batch *batch, struct tm_error *err);

/* Passes on the pending row. TM_OK, TM_E_SYSTEM or what the receiver returned. */
enum tm_status tm_line_heads_finish(struct tm_line_heads *heads, struct tm_error *err);

void tm_line_heads_release(struct tm_line_heads *heads);

#endif
