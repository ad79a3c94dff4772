/* The "PROCESS DUMP" that systrace.py adds to a trace: the output of ps in its long form (USER PID PPID VSZ RSS WCHAN
 * PC S NAME COMM) or its short form (USER PID TID CMD). */
#ifndef TM_FORMAT_FTRACE_PROCESS_DUMP_H
#define TM_FORMAT_FTRACE_PROCESS_DUMP_H

#include "base/text.h"
#include "stream/event_sink.h"

/* Zero-initialise. */
struct tm_process_dump {
    /* private */
    bool is_short;
    struct tm_buf detail;
};

/* Reads one line. A process or thread becomes a definition. A heading decides the form of the lines after it. Other
 * lines are ignored. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_process_dump_line(struct tm_process_dump *dump, struct tm_event_sink *sink, struct tm_text line,
                                    struct tm_error *err);

void tm_process_dump_release(struct tm_process_dump *dump);

#endif
