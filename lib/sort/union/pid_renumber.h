/* Renumbers pids and tids that stand for strings.
 *
 * Such a number contains that of the string in its stream's table (doc/events.md, Chrome JSON). A definition names
 * each of them, and definitions come first. A stream without such a definition is not searched. */
#ifndef TM_SORT_UNION_PID_RENUMBER_H
#define TM_SORT_UNION_PID_RENUMBER_H

#include "sort/union/stream_ids.h"
#include "sort/union/string_union.h"
#include "stream/batch_builder.h"

/* Zero-initialise. */
struct tm_pid_renumber {
    bool has_text_pids; /* the stream's definitions have such numbers */
    /* private */
    struct tm_buf pids, tids, detail;
    struct tm_batch_builder builder;
};

/* Renumbers the next BATCH of the stream of IDS. It is then a view of RENUMBER's columns. TM_OK; TM_E_INPUT if the
 * stream never defined a string; TM_E_SYSTEM. */
enum tm_status tm_pid_renumber(struct tm_pid_renumber *renumber, struct tm_batch *batch,
                               const struct tm_stream_ids *ids, struct tm_string_union *strings, struct tm_error *err);

void tm_pid_renumber_release(struct tm_pid_renumber *renumber);

#endif
