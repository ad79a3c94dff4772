/* Where one thread is in the calls of Android's binder, as the driver's events, commands and returns tell: which of
 * them fails to be answered is seen by these alone. Rules: importers/ftrace/binder_tracker.cc of perfetto. */
#ifndef TM_MODEL_BINDER_THREAD_H
#define TM_MODEL_BINDER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

enum { TM_BINDER_FRAMES_MAX = 24 }; /* calls within calls; deeper than that the outermost is forgotten */

struct tm_binder_frame {
    uint8_t state;
    bool is_known; /* what follows is */
    bool is_one_way, is_reply;
};

/* Zero-initialise. */
struct tm_binder_thread {
    struct tm_binder_frame frames[TM_BINDER_FRAMES_MAX];
    uint8_t depth;
    bool awaits_lock, has_lock; /* of kernels before 4.14; the caller's */
};

/* It sent a transaction. */
void tm_binder_thread_sent(struct tm_binder_thread *thread, bool is_one_way, bool is_reply);

/* It received one that is not one-way. */
void tm_binder_thread_received(struct tm_binder_thread *thread, bool is_reply);

/* It gave the driver COMMAND, BC_…, or got one back, BR_…: true when a call of it has failed, and is to be ended. */
void tm_binder_thread_command(struct tm_binder_thread *thread, uint64_t command);
bool tm_binder_thread_return(struct tm_binder_thread *thread, uint64_t command);

#endif
