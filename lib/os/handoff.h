/* Threads that do pieces of work while the caller prepares the next ones. One thread does them in order. Several do
 * them side by side; what they have made is passed on in order. With a depth of 1 there is one piece at most; a greater
 * depth evens out pieces that take different times. */
#ifndef TM_OS_HANDOFF_H
#define TM_OS_HANDOFF_H

#include "base/status.h"
#include "os/thread.h"

enum { TM_HANDOFF_THREADS_MAX = 8, TM_HANDOFF_DEPTH_MAX = 32 };

/* A piece that is being worked on. The caller keeps its pieces in a ring of DEPTH places. */
struct tm_handoff_piece {
    unsigned place;  /* in that ring */
    unsigned thread; /* number of the thread, from 0 */
};

/* What the threads do with SELF. */
struct tm_handoff_work {
    /* Does a piece; several threads may be in it at once, each with a piece of its own. */
    enum tm_status (*work)(void *self, struct tm_handoff_piece piece, struct tm_error *err);
    /* Passes on what was made of the piece at PLACE: in the order of pieces, one call at a time, by any thread. NULL:
     * nothing is left to do. */
    enum tm_status (*pass_on)(void *self, unsigned place, struct tm_error *err);
    void *self;
    unsigned depth;   /* as many pieces can be handed over at a time: 1 to TM_HANDOFF_DEPTH_MAX */
    unsigned threads; /* 1 to TM_HANDOFF_THREADS_MAX; fewer if they cannot be started */
};

struct tm_handoff {
    /* private */
    struct tm_handoff_work does;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock; numbers count the pieces so far */
    unsigned sent, taken, passed;
    bool has_ended[TM_HANDOFF_DEPTH_MAX]; /* the work on the piece at this place */
    bool is_passing;                      /* a thread passes pieces on */
    bool stop;
    struct tm_error err;                  /* of the first piece that failed */
    unsigned failed;                      /* the number of that piece; no later one is passed on */
    struct tm_handoff_thread {
        struct tm_thread thread;
        struct tm_handoff *of;
        unsigned number;
    } threads[TM_HANDOFF_THREADS_MAX];
    unsigned thread_count;
};

/* Starts threads that do WORK with each piece that is handed over, until one fails. False: no thread can be started;
 * then no other function may be called. HANDOFF must stay where it is until tm_handoff_stop. */
bool tm_handoff_start(struct tm_handoff *handoff, const struct tm_handoff_work *work);

/* Waits, if as many pieces are handed over as can be, until half of them are done. TM_OK: one more can be handed over.
 * Else the error of the first piece that failed; then only wait and stop may follow. */
enum tm_status tm_handoff_room(struct tm_handoff *handoff, struct tm_error *err);

/* Waits until all pieces are done. TM_OK: the caller may now use what the threads use, until tm_handoff_send. Else the
 * error of the first piece that failed; then only wait and stop may follow. */
enum tm_status tm_handoff_wait(struct tm_handoff *handoff, struct tm_error *err);

/* Returns how many of the pieces that were handed over are not done. */
unsigned tm_handoff_left(struct tm_handoff *handoff);

/* Hands a piece over: the threads may use it from now on. The call before was a successful tm_handoff_wait or
 * tm_handoff_room. */
void tm_handoff_send(struct tm_handoff *handoff);

/* Returns the place of the piece that is handed over next. */
static inline unsigned tm_handoff_next(const struct tm_handoff *handoff)
{
    return handoff->sent % handoff->does.depth;
}

/* Ends the threads once they have done their pieces. */
void tm_handoff_stop(struct tm_handoff *handoff);

#endif
