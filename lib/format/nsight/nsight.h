/* SQLite exports of Nsight Systems (nsys export --type sqlite): NVTX ranges and marks; calls of CUDA, of the OS runtime
 * and of other libraries by thread; kernels and copies by device and stream; flows from calls to what they launched.
 *
 * Tables are read row by row; of the database, only SQLite's cache is in memory. Every table and column is optional,
 * because versions of Nsight Systems differ. Other SQLite databases are refused. Source: the schema reference in the
 * user guide, and what nsys writes; doc/formats.md, Nsight Systems. */
#ifndef TM_FORMAT_NSIGHT_NSIGHT_H
#define TM_FORMAT_NSIGHT_NSIGHT_H

#include "format/format.h"

/* More tables are an error. A longer text is cut. Further threads and names are shown by number. */
enum {
    TM_NSIGHT_TABLES_MAX = 1024,
    TM_NSIGHT_TEXT_MAX = 4096,
    TM_NSIGHT_THREADS_MAX = 1 << 18,
    TM_NSIGHT_NAMES_MAX = 1 << 18
};

extern const struct tm_format tm_format_nsight;

#endif
