/* Names of kernel events by their field number in FtraceEvent.
 * Source: protos/perfetto/trace/ftrace/ftrace_event.proto of perfetto. */
#ifndef TM_KERNEL_FTRACE_NAMES_H
#define TM_KERNEL_FTRACE_NAMES_H

#include <stdint.h>

/* Returns the event's name, or NULL if this table does not know the number. */
const char *tm_ftrace_event_name(uint32_t field);

#endif
