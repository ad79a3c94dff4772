/* Runs a function in a child process. A sandbox that the function enters does not bind the parent. If a library crashes
 * in the function, only the child dies. */
#ifndef TM_OS_SUBPROCESS_H
#define TM_OS_SUBPROCESS_H

#include "os/input.h"

#include <signal.h>
#include <sys/types.h>

/* Runs WORK with CONTEXT in a child process and waits for it. Changes of memory are lost, but the text of a failure
 * comes back in *ERR. *PID, for signal handlers, is the child's id while it runs, else 0. Returns what WORK returned.
 * TM_E_SYSTEM if no child could be started or it was killed. */
enum tm_status tm_subprocess_run(enum tm_status (*work)(void *context, struct tm_error *err), void *context,
                                 volatile sig_atomic_t *pid, struct tm_error *err);

/* A child process whose output is read here as an input. Life cycle: zero-initialise, open, read out, close. */
struct tm_subprocess {
    struct tm_input out; /* after open: the child's output. Reading fails with TM_E_INPUT if the child is silent for
                          * TM_SUBPROCESS_SILENCE_S */
    /* private */
    pid_t pid; /* 0: none */
    int fd;
};

/* WORK returns this to tm_subprocess_open if the system failed (memory, a full disk) and not its input. It is the exit
 * status of programs for that case. */
enum { TM_SUBPROCESS_SYSTEM_FAILED = 3 };

/* How long a child may be silent, and how much memory of its own it may have (no limit in builds with sanitizers). */
enum { TM_SUBPROCESS_SILENCE_S = 60, TM_SUBPROCESS_MIB_MAX = 2048 };

/* Starts WORK with CONTEXT in a child process. WORK writes to FD and returns the child's exit status. The child's
 * standard output and standard error are /dev/null. It ends when the parent does. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_subprocess_open(struct tm_subprocess *subprocess, int (*work)(void *context, int fd), void *context,
                                  struct tm_error *err);

/* Ends the child and releases the input. TM_OK: it had returned 0, was still running, or there was no child.
 * TM_E_INPUT: "killed by signal 11", "ended with status 1". TM_E_SYSTEM: it had returned TM_SUBPROCESS_SYSTEM_FAILED.
 */
enum tm_status tm_subprocess_close(struct tm_subprocess *subprocess, struct tm_error *err);

#endif
