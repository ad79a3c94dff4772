/* One event of a format that a library reads in a child process (os/subprocess.h), as the child tells it to the parser.
 * The parser does not trust the child, which a damaged file may have misled. */
#ifndef TM_FORMAT_CHILD_EVENT_H
#define TM_FORMAT_CHILD_EVENT_H

#include "base/buf.h"
#include "base/span.h"
#include "os/input.h"

enum { TM_CHILD_EVENT_TEXT_MAX = 64 << 10 }; /* bytes of args; longer ones are cut */

enum tm_child_event_kind {
    TM_CHILD_EVENT = 1,
    TM_CHILD_EVENT_REFUSED = 2, /* the library cannot read the file; args says why, or is empty */
    TM_CHILD_EVENT_DONE = 3,    /* all is read; lost is how many lines the library has said of it */
    TM_CHILD_EVENT_CLOCK = 4    /* in front of events: what is known of their clock, as the format says */
};

/* What no kind needs is 0. */
struct tm_child_event {
    enum tm_child_event_kind kind;
    uint16_t buffer;  /* 0: the first of several in a file */
    int64_t time_ns;
    int64_t cycles;   /* the same as the clock counts it */
    int32_t cpu, tid, pid; /* -1: not known */
    uint64_t lost;    /* events lost before it; UINT64_MAX: some */
    struct tm_span event, task, args; /* borrowed */
};

/* Appends RECORD to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_child_event_put(const struct tm_child_event *record, struct tm_buf *out);

/* Reads the next record off IN; its texts are valid until the next call. TM_OK; TM_END: IN ended in front of it or in
 * it; TM_E_INPUT: no record, or reading failed; TM_E_SYSTEM. */
enum tm_status tm_child_event_read(struct tm_child_event *record, struct tm_input *in, struct tm_error *err);

#endif
