/* Pids and tids that stand for strings, in the numbers of the merged stream.
 *
 * Such a number is that of the string in its stream's table (doc/events.md, Chrome JSON). Each one is named
 * by a definition, which come first: a stream without one is not looked at. */
#ifndef TM_SORT_UNION_PID_RENUMBER_H
#define TM_SORT_UNION_PID_RENUMBER_H

#include "sort/union/stream_ids.h"
#include "sort/union/string_union.h"
#include "stream/batch_builder.h"

/* Zero-initialise. */
struct tm_pid_renumber {
    bool has_text_pids; /* the stream's definitions have some */
    /* private */
    struct tm_buf pids, tids, detail;
    struct tm_batch_builder builder;
};

/* The next BATCH of the stream whose numbers are in IDS; it is then a view of RENUMBER's columns. */
enum tm_status tm_pid_renumber(struct tm_pid_renumber *renumber, struct tm_batch *batch,
                               const struct tm_stream_ids *ids, struct tm_string_union *strings, struct tm_error *err);

void tm_pid_renumber_release(struct tm_pid_renumber *renumber);

#endif
