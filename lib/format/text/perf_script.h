/* perf script text: samples with their stacks, and tracepoints, on CLOCK_MONOTONIC. Times are exact for perf record -k
 * mono. perf's default clock is taken for CLOCK_MONOTONIC, from which it drifts. Source: perf-script(1),
 * tools/perf/Documentation of Linux. */
#ifndef TM_FORMAT_TEXT_PERF_SCRIPT_H
#define TM_FORMAT_TEXT_PERF_SCRIPT_H

#include "format/format.h"

/* Longer lines and larger samples are an error. */
enum { TM_PERF_LINE_MAX = 1 << 16, TM_PERF_FRAMES_MAX = 4096 };

extern const struct tm_format tm_format_perf_script;

#endif
