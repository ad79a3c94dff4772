/* strace text with epoch times (strace -f -ttt, with -T for durations), on CLOCK_REALTIME. System calls are slices;
 * signals and exits are instants. What -r, -n and -i write between time and call is passed over; -Y names threads.
 * Source: strace(1). */
#ifndef TM_FORMAT_TEXT_STRACE_H
#define TM_FORMAT_TEXT_STRACE_H

#include "format/format.h"

enum { TM_STRACE_LINE_MAX = 1 << 20 };

enum tm_strace_what {
    TM_STRACE_CALL,       /* name(args) = result [<duration>] */
    TM_STRACE_UNFINISHED, /* name(args <unfinished ...>; also with ") = ?" if the thread ended in the call */
    TM_STRACE_RESUMED,    /* <... name resumed> args) = result [<duration>] */
    TM_STRACE_RESUMED_UNFINISHED, /* <... name resumed> args <unfinished ...> */
    TM_STRACE_NOTE        /* --- signal ---, +++ exit +++ */
};

/* The parts of a line; they point into its text. */
struct tm_strace_line {
    enum tm_strace_what what;
    bool has_tid;
    int64_t tid;
    const char *comm; /* of the thread; NULL: not stated */
    size_t comm_len;
    int64_t time_ns;
    const char *name;
    size_t name_len;
    const char *args;
    size_t args_len;
    const char *result; /* after "= " */
    size_t result_len;
    bool has_dur;
    int64_t dur_ns;
};

/* Parses LINE (LEN bytes). TM_OK, or TM_E_INPUT if it is not a line of strace. */
enum tm_status tm_strace_line_parse(const char *line, size_t len, struct tm_strace_line *parsed);

extern const struct tm_format tm_format_strace;

#endif
