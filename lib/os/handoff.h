/* A thread that does pieces of work in order while the caller prepares the next. Of a handoff with a depth of 1 the
 * thread has one piece at most; a greater depth evens out pieces that take different times. */
#ifndef TM_OS_HANDOFF_H
#define TM_OS_HANDOFF_H

#include "base/status.h"
#include "os/thread.h"

struct tm_handoff {
    struct tm_thread thread;
    /* private; under the thread's lock */
    unsigned depth;
    unsigned sent, done; /* pieces so far; done is changed by the thread only */
    struct tm_error err; /* of the first failure */
    enum tm_status (*work)(void *self, struct tm_error *err);
    void *self;
};

/* Starts a thread that calls WORK(SELF) for each piece that is handed over, until one fails. It can have DEPTH pieces,
 * at least 1. False: the thread cannot be started; then no other function may be called. */
bool tm_handoff_start(struct tm_handoff *handoff, enum tm_status (*work)(void *self, struct tm_error *err), void *self,
                      unsigned depth);

/* Waits, if the thread has as many pieces as it can, until it has done half of them. TM_OK: one more can be handed
 * over. Else the error of the first piece that failed; then only stop may follow. */
enum tm_status tm_handoff_room(struct tm_handoff *handoff, struct tm_error *err);

/* Waits until the thread has done all pieces. TM_OK: the caller may now use what WORK uses, until tm_handoff_send. Else
 * the error of the first piece that failed; then only stop may follow. */
enum tm_status tm_handoff_wait(struct tm_handoff *handoff, struct tm_error *err);

/* Hands a piece over: WORK may use it from now on. The call before was a successful tm_handoff_wait or
 * tm_handoff_room. */
void tm_handoff_send(struct tm_handoff *handoff);

/* Returns the place of the piece that is handed over next, for a caller that keeps its pieces in a ring of DEPTH. */
static inline unsigned tm_handoff_next(const struct tm_handoff *handoff)
{
    return handoff->sent % handoff->depth;
}

/* Returns the place in that ring of the piece that WORK is called for. */
static inline unsigned tm_handoff_current(const struct tm_handoff *handoff)
{
    return handoff->done % handoff->depth;
}

/* Ends the thread once it has done its pieces. */
void tm_handoff_stop(struct tm_handoff *handoff);

#endif
