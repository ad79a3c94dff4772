/* libtracecmd reads trace.dat in a child process, because it trusts its input, which is untrusted here, and prints
 * messages. */
#ifndef TM_FORMAT_TRACE_DAT_LIBRARY_H
#define TM_FORMAT_TRACE_DAT_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>

/* True if this build has the library. */
bool tm_trace_dat_library_is_there(void);

/* Must succeed before tm_trace_dat_library_read. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_trace_dat_library_load(struct tm_error *err);

enum { TM_TRACE_DAT_BUFFERS_MAX = 1024 }; /* of a file; more are an error */

struct tm_trace_dat_source {
    int file;              /* borrowed; its position moves */
    const char *temporary_dir; /* for what the library prints; NULL: $TMPDIR, else /tmp */
};

/* Runs in a child process (os/subprocess.h). CONTEXT is a struct tm_trace_dat_source. Writes records
 * (format/child_event.h) to OUT: those of all buffers in order of time, then DONE; or REFUSED. Returns 0;
 * TM_SUBPROCESS_SYSTEM_FAILED if memory ran out or a write failed; 1 if the library failed to read an event. */
int tm_trace_dat_library_read(void *context, int out);

#endif
