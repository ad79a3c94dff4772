/* ftrace text: the trace file of tracefs, the output of atrace and systrace.py (also inside HTML) and of trace-cmd
 * report. Lines that are not events are accounted as damaged and skipped. A file without any event is an error. Process
 * dumps in the HTML name processes and threads. */
#ifndef TM_FORMAT_FTRACE_SYSTRACE_H
#define TM_FORMAT_FTRACE_SYSTRACE_H

#include "format/format.h"

/* A longer line is damage. */
enum { TM_SYSTRACE_LINE_MAX = 1 << 20 };

extern const struct tm_format tm_format_systrace;

#endif
