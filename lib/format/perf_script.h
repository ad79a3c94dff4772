/* perf script text: samples with their stacks, and tracepoints, on CLOCK_MONOTONIC (perf record
 * -k mono; perf's own clock is taken as it, which it follows to within its drift).
 * Source: perf-script(1), tools/perf/Documentation of Linux. */
#ifndef TM_FORMAT_PERF_SCRIPT_H
#define TM_FORMAT_PERF_SCRIPT_H

#include "format/format.h"

/* Longer lines and larger samples are damage. */
enum { TM_PERF_LINE_MAX = 1 << 16, TM_PERF_FRAMES_MAX = 4096 };

/* The head of a sample:
 *
 *     comm pid[/tid] [cpu] seconds.fraction: [period] event: rest
 */
struct tm_perf_head {
    const char *comm;
    size_t comm_len;
    int64_t pid; /* of the process, where has_pid */
    int64_t tid;
    bool has_pid;
    bool has_cpu;
    uint32_t cpu;
    int64_t time_ns;
    bool has_period;
    int64_t period;
    const char *event; /* without its colon */
    size_t event_len;
    const char *rest;
    size_t rest_len;
};

/* Reads LINE (LEN bytes). TM_OK, or TM_E_INPUT when it is no head. */
enum tm_status tm_perf_head_parse(const char *line, size_t len, struct tm_perf_head *head);

extern const struct tm_format tm_format_perf_script;

#endif
