/* The text of a trace_marker write: B|pid|name and its kin, from ftrace text (tracing_mark_write,
 * print, 0) and from print events of protos. Source: the writers in Android's libcutils and the
 * reference importer's reading of them. */
#ifndef TM_FORMAT_FTRACE_ATRACE_MARK_H
#define TM_FORMAT_FTRACE_ATRACE_MARK_H

#include "stream/event_sink.h"

/* One marker; pointers are into its text. */
struct tm_atrace_mark {
    char phase;       /* B E C S F I N G H */
    bool has_pid;     /* a pid was in the text */
    uint32_t pid;
    const char *name; /* NULL: none */
    size_t name_len;
    const char *track; /* G, H, N: the name of their track; else NULL */
    size_t track_len;
    int64_t value;     /* C: its value; S, F, G, H: the cookie */
};

/* Reads the LEN bytes at TEXT. TM_OK; TM_END: trace_event_clock_sync, no marker by intent;
 * TM_E_INPUT: no marker or a malformed one (the reference counts both as systrace_parse_failure).
 * Line ends and NULs at the end are ignored. */
enum tm_status tm_atrace_mark_parse(const char *text, size_t len, struct tm_atrace_mark *mark);

/* Makes EVENT, whose time, clock, tid and cpu are set, the row of MARK as doc/events.md describes
 * it; a pid that EVENT had gives way to the marker's. Strings go into SINK, where they do not fit
 * into DETAIL. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_atrace_mark_fill(const struct tm_atrace_mark *mark, struct tm_event_sink *sink,
                                   struct tm_event *event, struct tm_buf *detail, struct tm_error *err);

#endif
