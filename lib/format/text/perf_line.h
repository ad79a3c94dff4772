/* Lines of perf script: the head of a sample, and the frames and source lines of its stack. */
#ifndef TM_FORMAT_TEXT_PERF_LINE_H
#define TM_FORMAT_TEXT_PERF_LINE_H

#include "base/status.h"
#include "base/span.h"

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
    bool has_tid; /* perf says -1 where it does not know */
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

/* Reads LINE (LEN bytes). TM_OK; TM_END: a record of perf's own, "PERF_RECORD_… rest" in the event's place;
 * TM_E_INPUT when it is no head. */
enum tm_status tm_perf_head_parse(const char *line, size_t len, struct tm_perf_head *head);

/* A frame of a stack:
 *
 *     address symbol+offset (mapping)
 */
struct tm_perf_frame {
    uint64_t pc;
    struct tm_span symbol, mapping; /* in the line */
};

/* False: LINE is no frame. */
bool tm_perf_frame_parse(const char *line, size_t len, struct tm_perf_frame *frame);

/* Where in the source the frame on the line before is: "file:number". False: LINE says no such thing. */
bool tm_perf_source_parse(const char *line, size_t len, struct tm_span *file, int64_t *line_number);

#endif
