/* The page where stages count their progress (os/progress.h). The program that runs the stages makes and reads it. */
#ifndef TM_MERGE_PROGRESS_PAGE_H
#define TM_MERGE_PROGRESS_PAGE_H

#include "os/pipeline.h"
#include "os/progress.h"

/* Zero-initialise with fd -1. */
struct tm_progress_shared {
    int fd;
    struct tm_progress_page *page;
    char settings[TM_PROGRESS_STAGES_MAX][32]; /* for the environments of the stages */
};

/* Makes the page and gives each of COUNT stages a setting with its number. The page is in memory, or where the system
 * cannot share memory in a temporary file in DIR. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_progress_shared_make(struct tm_progress_shared *shared, const char *dir, struct tm_stage *stages,
                                       size_t count, struct tm_error *err);

void tm_progress_shared_release(struct tm_progress_shared *shared);

/* The counts of a flow at one time. */
struct tm_flow_sample {
    uint64_t bytes, events, waited_ns; /* includes waits that have not ended */
};

/* Returns the counts of FLOW at NOW_NS, a reading of CLOCK_MONOTONIC. */
struct tm_flow_sample tm_progress_sample(const struct tm_progress_flow *flow, uint64_t now_ns);

#endif
