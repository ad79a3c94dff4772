/* Runs a function in a child process. A sandbox that the function enters does not bind the parent; a library that the
 * function crashes in takes only the child with it. */
#ifndef TM_OS_SUBPROCESS_H
#define TM_OS_SUBPROCESS_H

#include "os/input.h"

#include <signal.h>
#include <sys/types.h>

/* Runs WORK with CONTEXT in a child process and waits for it. Changes of memory are lost; the text of a failure comes
 * back in *ERR. *PID, for signal handlers, is the child's id while it runs, else 0. Returns what WORK returned, or
 * TM_E_SYSTEM if there can be no child or it was killed. */
enum tm_status tm_subprocess_run(enum tm_status (*work)(void *context, struct tm_error *err), void *context,
                                 volatile sig_atomic_t *pid, struct tm_error *err);

/* A child that writes what is an input here. Life cycle: zero-initialise, open, read out, close. */
struct tm_subprocess {
    struct tm_input out; /* after open: what the child writes. Reading fails with TM_E_INPUT where it is silent for
                            TM_SUBPROCESS_SILENCE_S */
    /* private */
    pid_t pid; /* 0: none */
    int fd;
};

/* WORK returns this to tm_subprocess_open if the system failed it (memory, a full disk), not its input. It is the exit
 * status that programs have for that. */
enum { TM_SUBPROCESS_SYSTEM_FAILED = 3 };

/* A child may be silent for so long, and have so much memory of its own (unless the build has sanitizers). */
enum { TM_SUBPROCESS_SILENCE_S = 60, TM_SUBPROCESS_MIB_MAX = 2048 };

/* Starts WORK with CONTEXT in a child process. It writes to FD, and what it returns is the child's exit status. Its
 * standard output and its standard error are /dev/null. It ends when the parent does. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_subprocess_open(struct tm_subprocess *subprocess, int (*work)(void *context, int fd), void *context,
                                  struct tm_error *err);

/* Ends the child and releases the input. TM_OK: it had returned 0, or was still running. TM_E_INPUT: "killed by signal
 * 11", "ended with status 1". TM_E_SYSTEM: it had returned TM_SUBPROCESS_SYSTEM_FAILED. Without a child TM_OK. */
enum tm_status tm_subprocess_close(struct tm_subprocess *subprocess, struct tm_error *err);

#endif
