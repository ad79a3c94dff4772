/* What a Chrome JSON output formats late (late_parts.h). Each function is a tm_late_format. The comment before it says
 * what its data is. */
#ifndef TM_EMIT_CHROME_JSON_LATE_H
#define TM_EMIT_CHROME_JSON_LATE_H

#include "emit/late_parts.h"

#include <stdbool.h>

/* The args of a Detail, with their keys except for a leading "args." or "debug.". The data is that Detail. */
tm_late_format tm_json_late_args;

/* A slice with its end, as a complete event. The data has this, TEXT_LEN bytes of members, the Detail, and the rest of
 * the event. Times are those of the output. */
struct tm_json_late_slice {
    int64_t ts_ns, dur_ns, pid, tid;
    uint32_t text_len, detail_len;
    bool follows; /* there is an event before it */
};
tm_late_format tm_json_late_slice;

/* A task that ran on a CPU. The data has this and the name of the task. */
struct tm_json_late_running {
    int64_t ts_ns, dur_ns, pid, tid;
    uint32_t cpu;
    int32_t priority;
    bool follows;
};
tm_late_format tm_json_late_running;

#endif
