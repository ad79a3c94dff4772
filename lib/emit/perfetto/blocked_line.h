/* Lines of ftrace text about the wait of a task (sched_blocked_reason) as FtraceEvents. The function is the number of a
 * kernel symbol, as in work_line.h. Source: sched.proto of Perfetto. */
#ifndef TM_EMIT_PERFETTO_BLOCKED_LINE_H
#define TM_EMIT_PERFETTO_BLOCKED_LINE_H

#include "base/buf.h"
#include "model/catalog.h"

struct tm_blocked_line {
    int64_t tid; /* the task that waited */
    uint32_t io_wait;
    struct tm_text caller; /* borrowed from the event; data NULL: the line has none */
    uint64_t symbol;       /* the number of caller, set by the caller of this module; 0: none */
};

/* True, with *BLOCKED set, if EVENT is such a line and has all fields of its event. */
bool tm_blocked_line_read(const struct tm_catalog *catalog, const struct tm_event *event,
                          struct tm_blocked_line *blocked);

/* Appends BLOCKED to OUT, as a field of FtraceEvent. False when out of memory. */
bool tm_blocked_line_put(struct tm_buf *out, const struct tm_blocked_line *blocked);

#endif
