/* Reports of simpleperf as protobuf (simpleperf report-sample --protobuf), on CLOCK_MONOTONIC: samples with their
 * stacks, threads with their processes and names. A report's files and symbols may follow the samples that refer to
 * them. So samples and threads are pending in a temporary file until the whole report is read. Context switches state
 * no CPU and are not shown. Source: cmd_report_sample.proto of simpleperf; doc/events.md, Reports of simpleperf. */
#ifndef TM_FORMAT_SIMPLEPERF_SIMPLEPERF_H
#define TM_FORMAT_SIMPLEPERF_SIMPLEPERF_H

#include "format/format.h"

/* More files, symbols or bytes of names are an error; a sample with more frames is damage. Frames of a sample beyond
 * STACK_BYTES_MAX, the innermost, are left out. */
enum {
    TM_SIMPLEPERF_FILES_MAX = 1 << 16,
    TM_SIMPLEPERF_SYMBOLS_MAX = 1 << 22,
    TM_SIMPLEPERF_NAMES_MAX = 256 << 20,
    TM_SIMPLEPERF_TYPE_NAME_MAX = 4096, /* of a type of events */
    TM_SIMPLEPERF_FRAMES_MAX = 4096,
    TM_SIMPLEPERF_STACK_BYTES_MAX = 4 << 20
};

extern const struct tm_format tm_format_simpleperf;

#endif
