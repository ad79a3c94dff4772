/* Batches of one stream on their way into another: columns of numbers are made anew, the rest stays
 * where it is. */
#ifndef TM_SORT_UNION_BATCH_RENUMBER_H
#define TM_SORT_UNION_BATCH_RENUMBER_H

#include "sort/union/pid_renumber.h"
#include "sort/union/stream_ids.h"
#include "sort/union/string_union.h"
#include "stream/batch_builder.h"

/* Zero-initialise. */
struct tm_batch_renumber {
    /* private */
    struct tm_buf columns[TM_COL_COUNT];
    struct tm_batch_builder builder; /* where strings move into the rows */
    struct tm_buf detail;
    struct tm_pid_renumber pids;
};

/* Makes BATCH a batch of the new stream; what changes is this object's until the next call. TM_OK;
 * TM_E_INPUT: numbers that the stream never named, or an event of a file whose turn never came; or
 * TM_E_SYSTEM. */
enum tm_status tm_batch_renumber(struct tm_batch_renumber *renumber, struct tm_batch *batch,
                                 const struct tm_stream_ids *ids, struct tm_string_union *strings,
                                 struct tm_error *err);

void tm_batch_renumber_release(struct tm_batch_renumber *renumber);

#endif
