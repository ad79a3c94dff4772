/* trace.dat, recorded by trace-cmd, versions 6 and 7: the kernel's events of all buffers. libtracecmd and libtraceevent
 * read it in a child process. Source: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */
#ifndef TM_FORMAT_TRACE_DAT_TRACE_DAT_H
#define TM_FORMAT_TRACE_DAT_TRACE_DAT_H

#include "format/format.h"

extern const struct tm_format tm_format_trace_dat;

#endif
