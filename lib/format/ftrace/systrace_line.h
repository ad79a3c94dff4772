/* One line of ftrace text:
 *
 * task-pid (tgid) [cpu] irqflags seconds.fraction: event: args
 *
 * The tgid and irq columns may be missing. The name of a task may contain any character, also '-', '[' and spaces.
 * Seconds may have any number of decimals, which are read exactly. Digits without a point are nanoseconds (trace-cmd
 * report, for clocks that do not count seconds). Source: Documentation/trace/ftrace.rst of Linux,
 * trace-cmd-report(1). */
#ifndef TM_FORMAT_FTRACE_SYSTRACE_LINE_H
#define TM_FORMAT_FTRACE_SYSTRACE_LINE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Pointers point into the line. */
struct tm_systrace_line {
    const char *task; /* trimmed; may be empty */
    size_t task_len;
    const char *event;
    size_t event_len;
    const char *args; /* trimmed */
    size_t args_len;
    int64_t time_ns;
    uint32_t pid;
    uint32_t tgid;
    bool has_tgid;
    uint32_t cpu;
};

/* Parses the LEN bytes at TEXT, a line without its end. TM_OK, or TM_E_INPUT if it is not an event. */
enum tm_status tm_systrace_line_parse(const char *text, size_t len, struct tm_systrace_line *line);

#endif
