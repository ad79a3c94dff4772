/* libtracecmd, which reads trace.dat, in a process of its own: it is made for files of its user's, reads what it finds
 * without much doubt, and prints. */
#ifndef TM_FORMAT_TRACE_DAT_LIBRARY_H
#define TM_FORMAT_TRACE_DAT_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>

/* Whether this build has it. */
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
