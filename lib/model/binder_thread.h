/* The state of one thread within the calls of Android's binder. It follows the driver's events, commands and returns.
 * Only these show that a call failed and will get no answer. Rules: importers/ftrace/binder_tracker.cc of Perfetto. */
#ifndef TM_MODEL_BINDER_THREAD_H
#define TM_MODEL_BINDER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

enum { TM_BINDER_FRAMES_MAX = 24 }; /* nested calls; beyond this depth the outermost is forgotten */

struct tm_binder_frame {
    uint8_t state;
    bool is_known; /* the fields below are valid */
    bool is_one_way, is_reply;
};

/* Zero-initialise. */
struct tm_binder_thread {
    struct tm_binder_frame frames[TM_BINDER_FRAMES_MAX];
    uint8_t depth;
    bool awaits_lock, has_lock; /* kernels before 4.14; set by the caller */
};

/* Notes that the thread sent a transaction. */
void tm_binder_thread_sent(struct tm_binder_thread *thread, bool is_one_way, bool is_reply);

/* Notes that the thread received a transaction that is not one-way. */
void tm_binder_thread_received(struct tm_binder_thread *thread, bool is_reply);

/* tm_binder_thread_command notes that the thread gave the command COMMAND to the driver. tm_binder_thread_return notes
 * that it got the return COMMAND from the driver. True if one of its calls has failed; the caller then ends that call's
 * slice. */
void tm_binder_thread_command(struct tm_binder_thread *thread, uint64_t command);
bool tm_binder_thread_return(struct tm_binder_thread *thread, uint64_t command);

#endif
