/* Lines of ftrace text as rows of the stream (doc/events.md, Scheduling). Used by the systrace format and by the
 * systemTraceEvents of Chrome JSON. */
#ifndef TM_FORMAT_FTRACE_FTRACE_TEXT_H
#define TM_FORMAT_FTRACE_FTRACE_TEXT_H

#include "format/ftrace/systrace_line.h"
#include "stream/event_sink.h"

struct tm_ftrace_task;

/* Zero-initialise, set sink, and release at the end. */
struct tm_ftrace_text {
    struct tm_event_sink *sink; /* borrowed */
    uint32_t machine, clock;    /* of all events; 0: the file's */
    bool hints;                 /* write ClockHint frames for trace_event_clock_sync markers */
    uint64_t malformed_count;   /* markers that could not be parsed, for the statistics */
    /* private */
    struct tm_ftrace_task *tasks; /* the latest facts of each tid, in a table of fixed size */
    int64_t latest_ns;            /* over all lines */
    uint64_t epoch;               /* number of lines that go back in time, plus 1 */
    struct tm_buf detail;
};

/* Adds the rows of LINE, which was parsed from the LEN bytes at RAW. A line with an unknown or malformed event becomes
 * an FTRACE row. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_text_add(struct tm_ftrace_text *text, const struct tm_systrace_line *line, const char *raw,
                                  size_t len, struct tm_error *err);

/* Begins the line of text that ftrace would print for an event of a binary format. LINE has its task, event, pid, cpu
 * and time set. Replaces OUT by "task-pid [cpu] seconds: event: ". The caller appends the args. TM_OK or
 * TM_E_SYSTEM. */
enum tm_status tm_ftrace_text_begin(const struct tm_systrace_line *line, struct tm_buf *out);

/* Adds the rows of LINE, whose text is in OUT and whose args begin at byte ARGS_AT of it. Sets the pointers of LINE
 * into OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ftrace_text_add_made(struct tm_ftrace_text *text, struct tm_systrace_line *line,
                                       const struct tm_buf *out, size_t args_at, struct tm_error *err);

void tm_ftrace_text_release(struct tm_ftrace_text *text);

#endif
