/* A thread that does one piece of work at a time while the caller prepares the next. */
#ifndef TM_OS_HANDOFF_H
#define TM_OS_HANDOFF_H

#include "base/status.h"
#include "os/thread.h"

struct tm_handoff {
    struct tm_thread thread;
    /* private; under the thread's lock */
    bool is_full; /* the thread has a piece of work */
    struct tm_error err; /* of the first failure */
    enum tm_status (*work)(void *self, struct tm_error *err);
    void *self;
};

/* Starts a thread that calls WORK(SELF) for each piece that is handed over, until one fails. False: the thread cannot
 * be started; then no other function may be called. */
bool tm_handoff_start(struct tm_handoff *handoff, enum tm_status (*work)(void *self, struct tm_error *err), void *self);

/* Waits until the thread has done its piece. TM_OK: the caller may now use what WORK uses, until tm_handoff_send. Else
 * the error of the first piece that failed; then only stop may follow. */
enum tm_status tm_handoff_wait(struct tm_handoff *handoff, struct tm_error *err);

/* Hands a piece over: WORK may use it from now on. The call before was a successful tm_handoff_wait. */
void tm_handoff_send(struct tm_handoff *handoff);

/* Ends the thread once it has done its piece. */
void tm_handoff_stop(struct tm_handoff *handoff);

#endif
