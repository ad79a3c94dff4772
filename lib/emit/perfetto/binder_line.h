/* Lines of ftrace text about Android's binder as FtraceEvents. */
#ifndef TM_EMIT_PERFETTO_BINDER_LINE_H
#define TM_EMIT_PERFETTO_BINDER_LINE_H

#include "base/buf.h"
#include "kernel/binder.h"

/* Appends EVENT, a line for which tm_binder_event_of is not NONE, as a field of FtraceEvent. False: out of memory. */
bool tm_binder_line_put(struct tm_buf *out, const struct tm_event *event);

#endif
