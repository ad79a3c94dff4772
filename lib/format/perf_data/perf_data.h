/* perf.data, the file of perf record, also as written to a pipe: samples with their stacks, tracepoints, context
 * switches, names of threads, in either byte order, also compressed. What names and mappings were when is read first,
 * from all of the file, since records are not in the order of time. Clock: the one that perf record was told (-k), else
 * CLOCK_MONOTONIC for perf's own; a file that says what time of day that was relates it to REALTIME. Source:
 * tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h, perf_event_open(2). */
#ifndef TM_FORMAT_PERF_DATA_PERF_DATA_H
#define TM_FORMAT_PERF_DATA_PERF_DATA_H

#include "format/format.h"

extern const struct tm_format tm_format_perf_data;

#endif
