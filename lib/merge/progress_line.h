/* One line on standard error that shows the progress of a merge: bytes or events, the rate, the limiting stage, the
 * remaining time. On a terminal the line is overwritten and erased at the end; elsewhere lines follow one another. */
#ifndef TM_MERGE_PROGRESS_LINE_H
#define TM_MERGE_PROGRESS_LINE_H

#include "merge/progress_page.h"

struct tm_progress_state {
    struct tm_flow_sample in, out;
    uint64_t idle_in_ns, idle_out_ns; /* time waiting for neighbours in about the last second; decays */
};

/* Zero-initialise and fill in the fields before `private'. */
struct tm_progress_line {
    const struct tm_progress_page *page; /* borrowed */
    const struct tm_stage *stages;       /* borrowed; names */
    size_t count, sorter;                /* number of stages; the stage that reads everything before it writes */
    uint64_t total_bytes;                /* of the input; 0: unknown */
    bool is_terminal;
    int fd;
    /* private */
    struct tm_progress_state states[TM_PROGRESS_STAGES_MAX];
    uint64_t started_ns, last_ns, shown_ns, writing_since_ns;
    uint64_t window_ns, window_bytes, window_events; /* of the last seconds; decay */
    bool is_shown;
};

enum { TM_PROGRESS_TICK_MS = 200 };

/* Begins to measure the time. Nothing is shown yet. */
void tm_progress_line_start(struct tm_progress_line *line);

/* Call it about every TM_PROGRESS_TICK_MS: reads the page, and writes if it is time to. */
void tm_progress_line_tick(struct tm_progress_line *line);

/* Removes the line so that something else can be written. The next tick shows it again. */
void tm_progress_line_clear(struct tm_progress_line *line);

/* Ends the line: removes it from a terminal; elsewhere writes a last line with the totals. */
void tm_progress_line_finish(struct tm_progress_line *line);

#endif
