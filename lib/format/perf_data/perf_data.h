/* perf.data, written by perf record to a file or a pipe, in either byte order, perhaps compressed: samples with their
 * stacks, tracepoints, context switches, names of threads. Records are not in order of time, so names and mappings are
 * read first, from the whole file. Clock: the one given to perf record (-k), otherwise CLOCK_MONOTONIC in place of
 * perf's own. A file that states the time of day of a clock reading relates its clock to REALTIME. Source:
 * tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h, perf_event_open(2). */
#ifndef TM_FORMAT_PERF_DATA_PERF_DATA_H
#define TM_FORMAT_PERF_DATA_PERF_DATA_H

#include "format/format.h"

extern const struct tm_format tm_format_perf_data;

#endif
