/* Queues of work for devices: jobs of a ring of a GPU, fences of a timeline. A queue is a track. Its first piece of
 * work is the open slice; the next begins when that is done.
 *
 * KERNEL rows with these effects (kernel/effect.h) are converted here, in order of time. Rules:
 * importers/ftrace/drm_tracker.cc of Perfetto. Each file has queues of its own for its machine. */
#ifndef TM_MODEL_WORK_QUEUES_H
#define TM_MODEL_WORK_QUEUES_H

#include "base/buf.h"
#include "base/table.h"
#include "kernel/effect.h"
#include "model/settled_rows.h"

/* Limits of queues, and of work that is in queues. Events beyond them change nothing. */
enum { TM_WORK_QUEUES_MAX = 1 << 16, TM_WORK_MAX = 1 << 18 };

/* Zero-initialise. */
struct tm_work_queues {
    uint64_t left_out; /* rows whose effect was beyond a limit */
    /* private */
    struct tm_work_queue *queues;
    uint32_t queue_count, queue_cap;
    struct tm_work *works;
    uint32_t work_count, work_cap, free_work; /* free_work: the first unused one, plus 1 */
    struct tm_table by_track, by_job, queued;
    struct tm_buf detail;
};

/* True for rows that are converted here. */
static inline bool tm_work_queues_has(uint64_t effect)
{
    return effect >= TM_KERNEL_FENCE && effect <= TM_KERNEL_JOB_DONE;
}

/* Converts ROW into OUT. TM_END: it changes nothing, and OUT is not set. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_work_queues_take(struct tm_work_queues *queues, const struct tm_event *row,
                                   struct tm_settled_rows *out, struct tm_error *err);

void tm_work_queues_release(struct tm_work_queues *queues);

#endif
