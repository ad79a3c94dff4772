/* Runs tm-align for tm-merge, before the merge: unpack, manifest, clocks, align. */
#ifndef TM_MERGE_ALIGNMENT_RUN_H
#define TM_MERGE_ALIGNMENT_RUN_H

#include "merge/stage_commands.h"
#include "os/program.h"

/* Zero-initialise with fds -1. */
struct tm_alignment_run {
    const struct tm_merge_request *request; /* the files to merge; all can be opened by name twice */
    const char *rules;                      /* NULL: all */
    const char *argv0;
    const struct tm_program *program; /* named in messages */
    const volatile sig_atomic_t *signal_seen;
    sigset_t wait_mask;
    int manifest_fd; /* the result as a manifest; -1 before find */
    char manifest_path[32];
    int report_fd; /* the result for the report, as text or JSON */
    char report_path[32];
    int copy_fd; /* the stream that tm-unpack wrote, for the merge; -1: none */
    char copy_path[32];
};

/* Finds how the files relate. *STATUS is the exit status; 0: the merge can go on. TM_OK if the stages could be run;
 * TM_E_SYSTEM. */
enum tm_status tm_alignment_run_find(struct tm_alignment_run *run, int *status, struct tm_error *err);

/* Tests the times of the merge and prints the result on standard output. *STATUS 4: effects come before their
 * causes. */
enum tm_status tm_alignment_run_check(struct tm_alignment_run *run, int *status, struct tm_error *err);

/* Returns the descriptor of the stream that tm-unpack wrote, for the standard input of tm-manifest; RUN owns it. Sets
 * *BYTES to its size. -1: the merge has to unpack the files again. */
int tm_alignment_run_copy(const struct tm_alignment_run *run, uint64_t *bytes);

void tm_alignment_run_release(struct tm_alignment_run *run);

#endif
