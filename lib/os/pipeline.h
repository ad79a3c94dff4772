/* Programs run as one pipeline: the output of each is the input of the next. Their standard error is collected, so that
 * the cause of a failure can be told from its consequences.
 *
 * Life cycle: fill in stages, start, wait, ask for the cause and the exit status, release. A stage that is useless
 * after a failure is stopped. */
#ifndef TM_OS_PIPELINE_H
#define TM_OS_PIPELINE_H

#include "base/buf.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TM_PIPELINE_STAGES_MAX = 16, TM_PIPELINE_HELD_MAX = 64 << 10 };

/* Zero-initialise but for what the caller fills in. */
struct tm_stage {
    const char *name;        /* of the program, for messages */
    const char *path;        /* its file */
    const char *const *argv; /* NULL-terminated */
    const char *setting;     /* "NAME=VALUE" for its environment; NULL: none */
    /* After wait. */
    int wait_status;         /* as waitpid says */
    struct tm_buf held;      /* what it said on standard error and was not passed on yet */
    /* private */
    pid_t pid;
    int err_fd;
    bool running;
    bool stopped;     /* by us, as nobody needed it any more */
    int64_t ended_ms; /* when it was seen to have ended */
};

struct tm_pipeline {
    struct tm_stage *stages; /* borrowed, upstream first */
    size_t count;            /* at most TM_PIPELINE_STAGES_MAX */
    /* Set by a handler of the caller to the signal that came: it is passed on to all stages. */
    const volatile sig_atomic_t *signal_seen;
    /* The mask of signals of the stages, and while waiting; the caller blocks those it handles
     * everywhere else. */
    sigset_t wait_mask;
    /* While waiting, tick is called each tick_ms (0: never), and before something is written to standard error quiet,
     * with CONTEXT. */
    int tick_ms;
    void (*tick)(void *context);
    void (*quiet)(void *context);
    void *context;
};

/* File of program NAME: in directory DIR (may be NULL), else in $PATH. TM_OK with OUT set, or
 * TM_E_SYSTEM that says it is missing. */
enum tm_status tm_pipeline_find(const char *name, const char *dir, char *out, size_t size, struct tm_error *err);

/* Starts all stages. Standard input of the first and standard output of the last are the caller's.
 * TM_OK; TM_E_SYSTEM when a program cannot be run: those started are ended then. */
enum tm_status tm_pipeline_start(struct tm_pipeline *pipeline, struct tm_error *err);

/* Ends all stages that were started, and waits for that. */
void tm_pipeline_stop(struct tm_pipeline *pipeline);

/* Waits for all stages to end, however they do. */
void tm_pipeline_wait(struct tm_pipeline *pipeline);

/* Stage I failed of itself: not because a neighbour did (its input was cut short by a failure
 * upstream, or its reader was gone) nor because it was stopped. */
bool tm_pipeline_is_cause(const struct tm_pipeline *pipeline, size_t i);

/* Returns the stage of the causes that is furthest upstream, or the number of stages if there is none. */
size_t tm_pipeline_cause(const struct tm_pipeline *pipeline);

/* The gravest exit status of the causes: 3, then 1, 2, 4; death by a signal is 3; 0 without causes. */
int tm_pipeline_exit(const struct tm_pipeline *pipeline);

/* The last stage died because what it wrote to was gone. */
bool tm_pipeline_reader_left(const struct tm_pipeline *pipeline);

void tm_pipeline_release(struct tm_pipeline *pipeline);

#endif
