/* Threads run the turns of an archive's members at the same time. The results are written in order of processing
 * (doc/parallel.md). The stream is the same as without threads. Private to this room. */
#ifndef TM_UNPACK_JOBS_H
#define TM_UNPACK_JOBS_H

#include "unpack/archive.h"

/* The memory that a worker's frames may take before they are written. */
#define TM_JOBS_WORKER_BYTES ((size_t)64 << 20)

/* The memory for frames of a worker whose turn is far ahead of the one that is written: it waits earlier. */
#define TM_JOBS_FAR_WORKER_BYTES ((size_t)4 << 20)

/* The turns of an archive. */
struct tm_turns {
    struct tm_archive *archive;
    struct tm_node *node; /* the archive's own */
    uint32_t first_id;    /* the id of its first member */
    /* Runs the turn of the member that is number I in order of processing, with ARCHIVE in place of archive. */
    enum tm_status (*turn)(const struct tm_turns *turns, struct tm_unpack_run *run, struct tm_archive *archive,
                           uint32_t i);
};

struct tm_jobs;

/* Starts the threads for TURNS, whose members are known and have their rows. *JOBS is NULL if threads are not worth it,
 * or if none can be started. RUN and TURNS must outlive it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_jobs_start(struct tm_jobs **jobs, struct tm_unpack_run *run, const struct tm_turns *turns);

/* Writes turn I. To be called for each turn, in order. TM_OK; TM_END: the caller runs it. The writer of the run's sink
 * then passes over the frames that are in the stream already. Else an error of writing. JOBS may be NULL. */
enum tm_status tm_jobs_turn(struct tm_jobs *jobs, uint32_t i);

/* Stops the threads. JOBS may be NULL. */
void tm_jobs_free(struct tm_jobs *jobs);

#endif
