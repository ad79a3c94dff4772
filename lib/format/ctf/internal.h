/* The state of a trace being read, and its rows. */
#ifndef TM_FORMAT_CTF_INTERNAL_H
#define TM_FORMAT_CTF_INTERNAL_H

#include "base/map.h"
#include "format/child_event.h"
#include "format/ctf/ctf.h"
#include "format/ftrace/ftrace_text.h"
#include "os/subprocess.h"

struct tm_ctf {
    struct tm_format_context context;
    struct tm_subprocess child;
    char *folder; /* owned */
    Tracemerge__ClockPolicy policy;
    struct tm_child_event first; /* the child's first record, without its texts */
    bool is_kernel, has_first, is_begun;
    uint32_t kernel_version;
    struct tm_ftrace_text ftrace;
    struct tm_map running; /* by CPU: the thread that runs */
    struct tm_map named;   /* threads whose names are in the stream; value 1 */
    struct tm_buf line, detail, key, inner;
    uint64_t event_count, lost_count, lost_packet_count, cut_count;
    struct tm_error refused; /* why the library cannot read the trace */
};

/* Counts what was lost before RECORD. */
void tm_ctf_count_lost(struct tm_ctf *ctf, const struct tm_child_event *record);

/* Adds the rows of EVENT. TM_OK; or an error. */
enum tm_status tm_ctf_add_event(struct tm_ctf *ctf, const struct tm_child_event *event, struct tm_error *err);

#endif
