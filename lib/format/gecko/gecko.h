/* Firefox profiles in two forms. The Gecko profiler writes tables with schema and data, and nested child processes with
 * times of their own. profiler.firefox.com and other tools write preprocessed profiles: columns, and one list of
 * threads. Samples keep their stacks. Markers become slices and instants, with a track for each name. Times are
 * nanoseconds since the start of the outermost process.
 *
 * The tables of a thread may come in any order. So the thread's object is copied to a paged file while it is read, and
 * is processed once it is complete. Memory use is that of the paged tables. Source: doc/events.md, Gecko; the
 * profiler's docs-developer/gecko-profile-format.md and processed-profile-format.md. */
#ifndef TM_FORMAT_GECKO_GECKO_H
#define TM_FORMAT_GECKO_GECKO_H

#include "format/format.h"

/* Limits of a profile. Frames of a sample beyond a limit are left out, outermost first. Arguments of a marker can state
 * strings by number, any number of times. */
enum {
    TM_GECKO_NESTING_MAX = 16,        /* of processes; deeper ones are an error */
    TM_GECKO_PROCESSES_MAX = 1 << 12, /* more are an error */
    TM_GECKO_THREADS_MAX = 1 << 14,   /* pending threads, and counters; more are an error */
    TM_GECKO_LIST_MAX = 1 << 16,      /* libraries, categories, and string fields of a process; others are left out */
    TM_GECKO_FRAMES_MAX = 4096,       /* of one stack */
    TM_GECKO_STACK_BYTES = 1 << 20,   /* of the frames of one sample */
    TM_GECKO_ARGS_BYTES = 1 << 20,    /* of a marker's arguments, and 16 times its payload more; others are left out */
    TM_GECKO_NAME_BYTES = 16 << 10,   /* of a function's name; the rest is left out */
    TM_GECKO_TRACKS_MAX = 1 << 16     /* marker tracks; further markers share their thread's */
};

extern const struct tm_format tm_format_gecko;

#endif
