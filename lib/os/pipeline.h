/* Programs run as one pipeline: the output of each is the input of the next. Their standard error is collected, to find
 * the cause of a failure among its consequences.
 *
 * Life cycle: fill in stages, start, wait, ask for the cause and the exit status, release. A stage that is useless
 * after a failure is stopped. */
#ifndef TM_OS_PIPELINE_H
#define TM_OS_PIPELINE_H

#include "base/buf.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TM_PIPELINE_PENDING_MAX = 64 << 10 };

/* The environment variable that a program finds if it is a stage of a pipeline. It then ends with
 * TM_PIPELINE_CUT_STREAM, and not with exit status 1, if it fails because the stream that it reads ends early. */
#define TM_PIPELINE_VARIABLE "TM_PIPELINE"
enum { TM_PIPELINE_CUT_STREAM = 5 };

/* Zero-initialise, except for what the caller fills in. */
struct tm_stage {
    const char *name;        /* of the program, for messages */
    const char *path;        /* its file */
    const char *const *argv; /* NULL-terminated */
    const char *setting;     /* "NAME=VALUE" for its environment; NULL: none */
    bool shares_output;      /* the next stage can read its output from memory (os/shared_ring.h) */
    bool passes_input;       /* it may pass that memory on to the next stage, if the stage before shares it */
    bool repeats_warnings;   /* an earlier run gave its warnings */
    /* Set by wait. */
    int wait_status;         /* as waitpid says */
    struct tm_buf messages;      /* what it wrote to standard error and was not passed on yet */
    /* private */
    pid_t pid;
    int err_fd;
    char rings[48];   /* TM_RINGS for its environment; "": it shares no memory */
    bool running;
    bool stopped;     /* by us, because no stage needed it any more */
    int64_t ended_ms; /* when it was seen to have ended */
};

struct tm_pipeline {
    struct tm_stage *stages; /* borrowed, upstream first */
    size_t count;
    int in_fd;               /* standard input of the first stage, borrowed; 0: the caller's */
    /* A handler of the caller sets this to the signal that came. It is passed on to all stages. */
    const volatile sig_atomic_t *signal_seen;
    /* The signal mask of the stages, and of this process while it waits. Everywhere else the caller blocks the signals
     * that it handles: SIGINT, SIGTERM and SIGHUP at most, because a stage that starts resets only these. */
    sigset_t wait_mask;
    /* For the caller to set after wait: a reader of what the last stage writes has left. If that stage died of SIGPIPE
     * and this is not set, somebody sent it the signal. */
    bool output_left;
    bool drops_warnings; /* if a stage writes more than TM_PIPELINE_PENDING_MAX, its warnings are not passed on */
    /* During the wait, tick is called every tick_ms (0: never). quiet is called before anything is written to standard
     * error. Both get CONTEXT. */
    int tick_ms;
    void (*tick)(void *context);
    void (*quiet)(void *context);
    void *context;
};

/* Finds the file of program NAME in directory DIR (may be NULL), else in $PATH. TM_OK with OUT set, or TM_E_SYSTEM that
 * says that it is missing. */
enum tm_status tm_pipeline_find(const char *name, const char *dir, char *out, size_t size, struct tm_error *err);

/* Starts all stages. Standard output of the last is the caller's. TM_OK. TM_E_SYSTEM if a program cannot be run; then
 * no stage is running. */
enum tm_status tm_pipeline_start(struct tm_pipeline *pipeline, struct tm_error *err);

/* Ends all stages that were started, and waits until they have ended. */
void tm_pipeline_stop(struct tm_pipeline *pipeline);

/* Waits until all stages have ended, in whatever way. */
void tm_pipeline_wait(struct tm_pipeline *pipeline);

/* Returns the cause that is furthest upstream, or the number of stages if there is none. A stage is a cause if it
 * failed by itself: it was not stopped, no failure upstream cut its input short, and no failed reader left it. A stage
 * that died of SIGPIPE while the next one still read was killed. */
size_t tm_pipeline_cause(const struct tm_pipeline *pipeline);

/* True if STAGE ended with exit status 1 or TM_PIPELINE_CUT_STREAM: what it read is at fault. *IS_CUT: its stream ended
 * early. */
bool tm_stage_failed_on_input(const struct tm_stage *stage, bool *is_cut);

/* True if LINE, of LEN bytes, is a warning that STAGE wrote (tm_program_warning). */
bool tm_stage_line_is_warning(const struct tm_stage *stage, const uint8_t *line, size_t len);

/* Returns the gravest exit status of the causes: 3, then 1, 2, 4. Death by a signal counts as 3, and
 * TM_PIPELINE_CUT_STREAM as 1. Returns 0 without causes. */
int tm_pipeline_exit(const struct tm_pipeline *pipeline);

/* True if the last stage died because the reader of its output had left (output_left). */
bool tm_pipeline_reader_left(const struct tm_pipeline *pipeline);

void tm_pipeline_release(struct tm_pipeline *pipeline);

#endif
