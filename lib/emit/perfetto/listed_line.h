/* Lines of ftrace text about scheduling that viewers list and make nothing else of, as FtraceEvents. */
#ifndef TM_EMIT_PERFETTO_LISTED_LINE_H
#define TM_EMIT_PERFETTO_LISTED_LINE_H

#include "base/buf.h"
#include "model/catalog.h"
#include "stream/event.h"

/* Appends EVENT, a line, as a field of FtraceEvent, with its name from CATALOG: sched_wakeup, sched_wakeup_new,
 * sched_process_exec, _exit, _fork, _hang and _wait, sched_pi_setprio, sched_migrate_task. TM_OK; TM_END with nothing
 * appended: it is another line, or its arguments are not all fields of the message; TM_E_SYSTEM. Source: sched.proto of
 * Perfetto, and include/trace/events/sched.h of Linux for the text. */
enum tm_status tm_listed_line_put(struct tm_buf *out, const struct tm_catalog *catalog, const struct tm_event *event);

#endif
