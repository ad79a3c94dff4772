/* libtracecmd, which reads trace.dat, runs in a child process: it trusts its input, which here is untrusted, and it
 * prints. */
#ifndef TM_FORMAT_TRACE_DAT_LIBRARY_H
#define TM_FORMAT_TRACE_DAT_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>

/* True if this build has the library. */
bool tm_trace_dat_library_is_there(void);

struct tm_trace_dat_source {
    int file;              /* borrowed; its position moves */
    const char *temporary_dir; /* for what the library prints; NULL: $TMPDIR, else /tmp */
};

/* Work of a child process (os/subprocess.h). CONTEXT is a struct tm_trace_dat_source. Writes records
 * (format/child_event.h) to OUT: those of all buffers in order of time, then DONE; or REFUSED. Returns 0, or 1 if it
 * could not write. */
int tm_trace_dat_library_read(void *context, int out);

#endif
