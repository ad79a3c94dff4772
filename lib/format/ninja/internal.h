/* What the files of this folder share. */
#ifndef TM_FORMAT_NINJA_INTERNAL_H
#define TM_FORMAT_NINJA_INTERNAL_H

#include "base/buf.h"
#include "base/heap.h"
#include "base/text.h"
#include "format/ninja/ninja.h"
#include "format/text_lines.h"

/* A command that ninja has run. */
struct tm_ninja_job {
    int64_t start_ms, end_ms; /* since its build began */
    int64_t mtime;            /* of its first output as the log has it; 0: none */
    uint64_t command_hash;
    uint32_t name, name_len; /* its outputs with a blank between two, in ninja.names */
    uint32_t outputs;
};

struct tm_ninja {
    struct tm_text_reader text;
    bool has_version;        /* the first line is read */
    struct tm_ninja_job *jobs; /* owned; in the order of the log, and sorted by start when it has ended */
    uint32_t job_count, job_cap;
    struct tm_buf names;           /* of all jobs, one after the other */
    struct tm_buf detail, message; /* of the row in work */
};

/* The workers of a build. A job goes to the free worker that has been free for the shortest time, as its start is most
 * likely the consequence of that worker's last job. Zero-initialise. */
struct tm_ninja_workers {
    struct tm_heap busy;
    uint32_t *idle; /* owned; a stack, the last one has been free for the shortest time */
    uint32_t idle_count, idle_cap;
    uint32_t count;
};

/* Sets *WORKER to the number, from 0, of the worker that runs JOB. Jobs come in the order of their starts. A number
 * that equals the former count is a new worker. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_ninja_workers_take(struct tm_ninja_workers *workers, const struct tm_ninja_job *job,
                                     uint32_t *worker, struct tm_error *err);

void tm_ninja_workers_release(struct tm_ninja_workers *workers);

/* Adds the rows of all jobs, and the hint what REALTIME was when the last build began. Sorts the jobs. TM_OK or an
 * error. */
enum tm_status tm_ninja_rows_add(struct tm_ninja *ninja, struct tm_error *err);

#endif
