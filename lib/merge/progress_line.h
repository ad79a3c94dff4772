/* One line on standard error that says how far a merge has come: bytes or events of how many, how fast, which stage
 * limits, how long it will take. On a terminal the line is written over and erased at the end; elsewhere lines follow
 * one another. */
#ifndef TM_MERGE_PROGRESS_LINE_H
#define TM_MERGE_PROGRESS_LINE_H

#include "merge/progress_page.h"

struct tm_progress_state {
    struct tm_flow_sample in, out;
    uint64_t idle_in_ns, idle_out_ns; /* of the last second or so, spent waiting for neighbours; fall off */
};

/* Zero-initialise with what the caller fills in. */
struct tm_progress_line {
    const struct tm_progress_page *page; /* borrowed */
    const struct tm_stage *stages;       /* borrowed; names */
    size_t count, sorter;                /* of stages; which of them reads all before it writes */
    uint64_t total_bytes;                /* of the input; 0: not known */
    bool is_terminal;
    int fd;
    /* private */
    struct tm_progress_state states[TM_PROGRESS_STAGES_MAX];
    uint64_t started_ns, last_ns, shown_ns, writing_since_ns;
    uint64_t window_ns, window_bytes, window_events; /* of the last seconds; fall off */
    bool is_shown;
};

enum { TM_PROGRESS_TICK_MS = 200 };

void tm_progress_line_start(struct tm_progress_line *line);

/* To be called each TM_PROGRESS_TICK_MS or so: looks at the page, and writes where it is time to. */
void tm_progress_line_tick(struct tm_progress_line *line);

/* Removes the line, so that something else can be written. The next tick shows it again. */
void tm_progress_line_clear(struct tm_progress_line *line);

/* The end: nothing stays on a terminal; elsewhere a last line says what was done. */
void tm_progress_line_finish(struct tm_progress_line *line);

#endif
