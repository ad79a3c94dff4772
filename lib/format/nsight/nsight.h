/* Exports of Nsight Systems to SQLite (nsys export --type sqlite): NVTX ranges and marks, calls of CUDA, of the OS
 * runtime and of other libraries by thread, kernels and copies by device and stream, arrows from calls to what they
 * launched.
 *
 * Tables are read row by row, with no more of the database in memory than SQLite's cache. Tables and columns that a
 * version of Nsight Systems does not write are looked for, not expected. Other databases are none of this format.
 * Source: the schema reference in the user guide, and what nsys writes; doc/formats.md, Nsight Systems. */
#ifndef TM_FORMAT_NSIGHT_NSIGHT_H
#define TM_FORMAT_NSIGHT_NSIGHT_H

#include "format/format.h"

/* More tables are an error; of a longer text the rest is not read; further threads and names are shown by number. */
enum {
    TM_NSIGHT_TABLES_MAX = 1024,
    TM_NSIGHT_TEXT_MAX = 4096,
    TM_NSIGHT_THREADS_MAX = 1 << 18,
    TM_NSIGHT_NAMES_MAX = 1 << 18
};

extern const struct tm_format tm_format_nsight;

#endif
