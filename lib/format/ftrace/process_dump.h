/* The "PROCESS DUMP" that systrace.py puts beside a trace: the output of ps, in its long form
 * (USER PID PPID VSZ RSS WCHAN PC S NAME COMM) or its short one (USER PID TID CMD). */
#ifndef TM_FORMAT_FTRACE_PROCESS_DUMP_H
#define TM_FORMAT_FTRACE_PROCESS_DUMP_H

#include "base/span.h"
#include "stream/event_sink.h"

/* Zero-initialise. */
struct tm_process_dump {
    /* private */
    bool is_short;
    struct tm_buf detail;
    struct tm_buf inner;
};

/* Takes one line: a heading, or a process or thread that becomes a definition. Lines that are
 * neither are ignored. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_process_dump_line(struct tm_process_dump *dump, struct tm_event_sink *sink, struct tm_span line,
                                    struct tm_error *err);

void tm_process_dump_release(struct tm_process_dump *dump);

#endif
