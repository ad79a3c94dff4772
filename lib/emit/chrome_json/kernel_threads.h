/* Kernel tracks (kernel/tracks.h): those of a machine are threads of a process "Kernel"; one that belongs to a thread
 * is below that thread. */
#ifndef TM_EMIT_CHROME_JSON_KERNEL_THREADS_H
#define TM_EMIT_CHROME_JSON_KERNEL_THREADS_H

#include "emit/chrome_json/metadata.h"
#include "emit/task_names.h"

/* Zero-initialise, and set metadata. */
struct tm_json_kernel_threads {
    struct tm_json_metadata *metadata; /* borrowed */
    /* private */
    struct tm_map tids; /* (machine, kernel track) to its tid in the process "Kernel" */
};

/* Sets *PLACE if E is on a kernel track; otherwise *PLACE is unchanged. Names the process and the thread before their
 * first use. Returns what tm_json_metadata_name returns. */
enum tm_status tm_json_kernel_threads_find(struct tm_json_kernel_threads *kernel, const struct tm_event *e,
                                           struct tm_event_task *place, struct tm_error *err);

/* Sets *PID to the pid in the output of the process "Kernel" of E's machine, and names it before its first use.
 * Returns what tm_json_metadata_name returns. */
enum tm_status tm_json_kernel_threads_process(struct tm_json_kernel_threads *kernel, const struct tm_event *e,
                                              int64_t *pid, struct tm_error *err);

void tm_json_kernel_threads_release(struct tm_json_kernel_threads *kernel);

#endif
