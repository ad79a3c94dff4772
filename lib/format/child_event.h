/* One event of a format that a library reads in a child process (os/subprocess.h), on its way from the child to the
 * parser. The parser does not trust the child, since a damaged file may have misled it. */
#ifndef TM_FORMAT_CHILD_EVENT_H
#define TM_FORMAT_CHILD_EVENT_H

#include "base/buf.h"
#include "base/text.h"
#include "os/input.h"

enum { TM_CHILD_EVENT_TEXT_MAX = 64 << 10 }; /* bytes of args; longer ones are cut */

enum tm_child_event_kind {
    TM_CHILD_EVENT = 1,
    TM_CHILD_EVENT_REFUSED = 2, /* the library cannot read the file; args is the reason, or empty */
    TM_CHILD_EVENT_DONE = 3,    /* the file is read; lost is the number of lines in the library's diagnostics */
    TM_CHILD_EVENT_CLOCK = 4    /* precedes the events; describes their clock */
};

/* Fields that a kind does not use are 0. */
struct tm_child_event {
    enum tm_child_event_kind kind;
    uint16_t buffer;  /* number of the buffer in its file, from 0 */
    int64_t time_ns;
    int64_t cycles;   /* the time in units of the trace's own clock */
    int32_t cpu, tid, pid; /* -1: not known */
    bool is_cut;      /* a part of the event's arguments is left out; put sets it if it cuts them */
    uint64_t lost;    /* events lost before it; UINT64_MAX: an unknown number */
    uint64_t lost_packets; /* packets lost before it, with an unknown number of events */
    struct tm_text event, task, args; /* borrowed */
};

/* Appends RECORD to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_child_event_put(const struct tm_child_event *record, struct tm_buf *out);

/* Reads the next record from IN. Its texts are valid until the next call. TM_OK; TM_END: IN ended before or within the
 * record; TM_E_INPUT: bytes that are no record, or a failed read; TM_E_SYSTEM. */
enum tm_status tm_child_event_read(struct tm_child_event *record, struct tm_input *in, struct tm_error *err);

#endif
