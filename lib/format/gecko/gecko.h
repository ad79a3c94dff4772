/* Firefox profiles, as the Gecko profiler writes them (tables with schema and data, child processes
 * nested, each with times of its own) and as profiler.firefox.com and other tools do (preprocessed:
 * columns, one list of threads). Samples with their stacks, markers as slices and instants on a
 * track for each name. Times are nanoseconds since the start of the outermost process.
 *
 * A thread's object is copied to a spool as it is read, since its tables may come in any order, and
 * gone through once it is complete; memory is that of the paged tables.
 * Source: doc/events.md, Gecko; the profiler's docs-developer/gecko-profile-format.md and
 * processed-profile-format.md. */
#ifndef TM_FORMAT_GECKO_GECKO_H
#define TM_FORMAT_GECKO_GECKO_H

#include "format/format.h"

/* Limits: processes inside processes, processes, threads that wait for a table behind them,
 * libraries, categories and fields of marker schemas of a process, frames of a stack, and bytes of
 * the frames of one sample (beyond these two the outermost are left out). */
enum {
    TM_GECKO_NESTING_MAX = 16,
    TM_GECKO_PROCESSES_MAX = 1 << 12,
    TM_GECKO_THREADS_MAX = 1 << 14,
    TM_GECKO_LIST_MAX = 1 << 16,
    TM_GECKO_FRAMES_MAX = 4096,
    TM_GECKO_STACK_BYTES = 1 << 20,
    TM_GECKO_NAME_BYTES = 16 << 10, /* of a function; the rest is left out */
    TM_GECKO_TRACKS_MAX = 1 << 16   /* marker tracks; markers beyond share their thread's */
};

extern const struct tm_format tm_format_gecko;

#endif
