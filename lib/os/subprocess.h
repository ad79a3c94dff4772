/* Runs a function in a child process. A sandbox that the function enters does not bind the parent. */
#ifndef TM_OS_SUBPROCESS_H
#define TM_OS_SUBPROCESS_H

#include "base/status.h"

#include <signal.h>

/* Runs WORK with CONTEXT in a child process and waits for it. Changes of memory are lost; the text of a failure comes
 * back in *ERR. *PID, for signal handlers, is the child's id while it runs, else 0. Returns what WORK returned, or
 * TM_E_SYSTEM if there can be no child or it was killed. */
enum tm_status tm_subprocess_run(enum tm_status (*work)(void *context, struct tm_error *err), void *context,
                                 volatile sig_atomic_t *pid, struct tm_error *err);

#endif
