/* One event of trace.dat, as the child process that runs libtracecmd tells it to the parser. The parser does not trust
 * the child, which a damaged file may have misled. */
#ifndef TM_FORMAT_TRACE_DAT_RECORD_H
#define TM_FORMAT_TRACE_DAT_RECORD_H

#include "base/buf.h"
#include "base/span.h"
#include "os/input.h"

enum { TM_TRACE_DAT_TEXT_MAX = 64 << 10 }; /* args of an event; longer ones are cut */

enum tm_trace_dat_kind {
    TM_TRACE_DAT_EVENT = 1,
    TM_TRACE_DAT_REFUSED = 2, /* the library cannot read the file; args says why, or is empty */
    TM_TRACE_DAT_DONE = 3     /* all is read; lost is how many lines the library has said of it */
};

/* What no kind needs is 0. */
struct tm_trace_dat_record {
    enum tm_trace_dat_kind kind;
    uint16_t buffer; /* 0: the first; else an instance */
    int64_t time_ns;
    uint32_t cpu, pid;
    uint64_t lost; /* events lost before it; UINT64_MAX: some */
    struct tm_span event, task, args; /* borrowed */
};

/* Appends RECORD to OUT. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_trace_dat_record_put(const struct tm_trace_dat_record *record, struct tm_buf *out);

/* Reads the next record off IN; its texts are valid until the next call. TM_OK; TM_END: IN ended in front of it or in
 * it; TM_E_INPUT: no record, or reading failed; TM_E_SYSTEM. */
enum tm_status tm_trace_dat_record_read(struct tm_trace_dat_record *record, struct tm_input *in, struct tm_error *err);

#endif
