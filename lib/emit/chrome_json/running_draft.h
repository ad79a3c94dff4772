/* A slice of a task that ran on a CPU, as a draft (event_draft.h). */
#ifndef TM_EMIT_CHROME_JSON_RUNNING_DRAFT_H
#define TM_EMIT_CHROME_JSON_RUNNING_DRAFT_H

#include "emit/late_parts.h"

#include <stdbool.h>

/* The record is this and the name of the task. Numbers and times are those of the output. */
struct tm_json_running_draft {
    int64_t ts_ns, dur_ns, pid, tid;
    uint32_t cpu;
    int32_t priority;
    bool follows; /* there is an event before it */
};

/* Formats the slice. */
tm_late_format tm_json_running_format;

#endif
