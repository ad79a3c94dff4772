/* Lines of perf script: the head of a sample, and the frames and source lines of its stack. */
#ifndef TM_FORMAT_TEXT_PERF_LINE_H
#define TM_FORMAT_TEXT_PERF_LINE_H

#include "base/status.h"
#include "base/text.h"

/* perf writes -1 for the number of a task that has ended. Readers take it for this number. */
#define TM_PERF_ENDED UINT32_MAX

/* The head of a sample:
 *
 *     [comm] pid[/tid] [cpu] seconds.fraction: [period] event: rest
 */
struct tm_perf_head {
    const char *comm; /* empty if perf script -F left it out */
    size_t comm_len;
    int64_t pid; /* of the process, if has_pid */
    int64_t tid;
    bool has_pid;
    bool has_cpu;
    uint32_t cpu;
    int64_t time_ns;
    bool has_period;
    uint64_t period;
    const char *event; /* without its colon */
    size_t event_len;
    const char *rest;
    size_t rest_len;
};

/* Parses LINE (LEN bytes). TM_OK. TM_END: a record of perf itself, with "PERF_RECORD_… rest" in place of the event, or
 * what perf reports of a processor's trace ("instruction trace error …"), which is all event. TM_E_INPUT: no head. */
enum tm_status tm_perf_head_parse(const char *line, size_t len, struct tm_perf_head *head);

/* A frame of a stack:
 *
 *     address symbol+offset (mapping)
 */
struct tm_perf_frame {
    uint64_t pc;
    struct tm_text symbol, mapping; /* they point into the line */
};

/* Skips blanks and what kind of branch a sample is ("call", "tr strt", "tr end  hw int") at P, which perf script writes
 * before the branch's address. Returns the byte after them. */
const char *tm_perf_branch_skip(const char *p, const char *end);

/* Parses LINE as a frame. False if it is not a frame. */
bool tm_perf_frame_parse(const char *line, size_t len, struct tm_perf_frame *frame);

/* Parses LINE as "file:number", the source position of the frame on the line before. False if it is something else. */
bool tm_perf_source_parse(const char *line, size_t len, struct tm_text *file, int64_t *line_number);

#endif
