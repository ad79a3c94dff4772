/* The text of a write to trace_marker: B|pid|name and similar. It comes from ftrace text (tracing_mark_write, print, 0)
 * and from print events of protos. Source: the writers in Android's libcutils, and how the reference importer reads
 * them. */
#ifndef TM_FORMAT_FTRACE_ATRACE_MARK_H
#define TM_FORMAT_FTRACE_ATRACE_MARK_H

#include "stream/event_sink.h"

/* One marker. Pointers point into its text. */
struct tm_atrace_mark {
    char phase;       /* B E C S F I N G H */
    bool has_pid;     /* the text has a pid */
    uint32_t pid;
    const char *name; /* NULL: none */
    size_t name_len;
    const char *track; /* G, H, N: the name of the track; otherwise NULL */
    size_t track_len;
    int64_t value;     /* C: its value; S, F, G, H: the cookie */
};

/* Parses the LEN bytes at TEXT. Line ends and NULs at the end are ignored. TM_OK. TM_END: trace_event_clock_sync, which
 * is not a marker. TM_E_INPUT: no marker, or a malformed one; the reference importer counts both as
 * systrace_parse_failure. */
enum tm_status tm_atrace_mark_parse(const char *text, size_t len, struct tm_atrace_mark *mark);

/* Makes EVENT the row of MARK, as doc/events.md describes it. Time, clock, tid and cpu of EVENT are set. The marker's
 * pid replaces that of EVENT. Strings go into DETAIL, or into SINK if they do not fit there. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_atrace_mark_fill(const struct tm_atrace_mark *mark, struct tm_event_sink *sink,
                                   struct tm_event *event, struct tm_buf *detail, struct tm_error *err);

#endif
