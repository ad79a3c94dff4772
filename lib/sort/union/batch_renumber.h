/* Renumbers batches of one stream for the merged stream. Columns of numbers are replaced; the other columns are not
 * copied. */
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
    struct tm_batch_builder builder; /* used if strings become inline */
    struct tm_buf detail;
    struct tm_pid_renumber pids;
};

/* Makes BATCH a batch of the merged stream. Changed columns belong to RENUMBER until the next call. TM_OK. TM_E_INPUT
 * if a number was never defined by the stream, or an event belongs to a file whose turn has not begun. TM_E_SYSTEM. */
enum tm_status tm_batch_renumber(struct tm_batch_renumber *renumber, struct tm_batch *batch,
                                 const struct tm_stream_ids *ids, struct tm_string_union *strings,
                                 struct tm_error *err);

void tm_batch_renumber_release(struct tm_batch_renumber *renumber);

#endif
