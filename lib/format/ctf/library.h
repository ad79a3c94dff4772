/* libbabeltrace2, which reads traces in the Common Trace Format, in a child process. */
#ifndef TM_FORMAT_CTF_LIBRARY_H
#define TM_FORMAT_CTF_LIBRARY_H

#include "base/status.h"

#include <stdbool.h>

/* True if this build has the library. */
bool tm_ctf_library_is_there(void);

/* Must succeed before tm_ctf_library_read. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ctf_library_load(struct tm_error *err);

/* Runs in a child process (os/subprocess.h). CONTEXT is the path of a trace's folder. Writes records
 * (format/child_event.h) to OUT: CLOCK, then the events of all streams in order of time, then DONE; or REFUSED, also if
 * the events are more than the bits of the folder's files. Returns 0, or TM_SUBPROCESS_SYSTEM_FAILED if memory ran out
 * or a write failed.
 *
 * CLOCK: event is the clock's name, buffer has flags TM_CTF_CLOCK_, task is the tracer's domain ("kernel", "ust"), args
 * is the kernel's release, and the times are those of the first event. The args of an event are letters TM_CTF_ARG_,
 * each followed by a key and a value that end with a NUL. */
int tm_ctf_library_read(void *context, int out);

enum tm_ctf_clock_flag {
    TM_CTF_CLOCK_IS_NS = 1,   /* a cycle is a nanosecond */
    TM_CTF_CLOCK_IS_UNIX = 2, /* time_ns counts from 1970 */
    TM_CTF_CLOCK_IS_THERE = 4 /* 0: events have no times */
};
enum tm_ctf_arg_letter { TM_CTF_ARG_INT = 'i', TM_CTF_ARG_UINT = 'u', TM_CTF_ARG_TEXT = 's' };

#endif
