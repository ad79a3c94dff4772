/* Work done in a process of its own, so that a sandbox it enters is its alone. */
#ifndef TM_OS_SUBPROCESS_H
#define TM_OS_SUBPROCESS_H

#include "base/status.h"

#include <signal.h>

/* Runs WORK with CONTEXT in a child process and waits for it. What WORK changes in memory is lost; what it says of a
 * failure is in *ERR. *PID, for handlers, is the child's while there is one, else 0. What WORK returns, or TM_E_SYSTEM
 * when there can be no child, or it was killed. */
enum tm_status tm_subprocess_run(enum tm_status (*work)(void *context, struct tm_error *err), void *context,
                                 volatile sig_atomic_t *pid, struct tm_error *err);

#endif
