/* A trial merge: the stages run on an archive, and only the summary is kept. */
#ifndef TM_MERGE_TRIAL_H
#define TM_MERGE_TRIAL_H

#include "os/program.h"
#include "os/pipeline.h"

struct tm_trial {
    char *archive;                     /* its path; borrowed */
    const char *final_name;            /* the name that the archive will get, which messages show; borrowed */
    bool strict;                       /* like tm-merge --strict */
    bool quiet;                        /* like tm-merge --quiet */
    const char *argv0;                 /* the stages are searched for beside this program */
    const struct tm_program *program;  /* named in messages */
};

/* Runs the stages; their messages go to standard error. SUMMARY gets a line for each file. *STATUS is the exit status
 * that tm-merge would return. TM_OK if the stages could be run; TM_E_SYSTEM. */
enum tm_status tm_trial_run(const struct tm_trial *trial, struct tm_buf *summary, int *status, struct tm_error *err);

#endif
