/* Names of kernel events by their field number in FtraceEvent.
 * Source: protos/perfetto/trace/ftrace/ftrace_event.proto of perfetto. */
#ifndef TM_KERNEL_FTRACE_NAMES_H
#define TM_KERNEL_FTRACE_NAMES_H

#include <stdint.h>

/* The event's name; NULL: a number this table does not know. */
const char *tm_ftrace_event_name(uint32_t field);

#endif
