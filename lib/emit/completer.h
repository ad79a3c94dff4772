/* Threads that complete the bytes of an output by their late parts (late_parts.h), and hand them on in order. Meanwhile
 * the caller makes more. The bytes do not depend on the number of threads. */
#ifndef TM_EMIT_COMPLETER_H
#define TM_EMIT_COMPLETER_H

#include "emit/late_parts.h"

struct tm_completer;

/* Takes BYTES, which it leaves empty. It is called by threads of the completer, one at a time. TM_OK or an error. */
typedef enum tm_status tm_completer_receiver(void *self, struct tm_buf *bytes, struct tm_error *err);

/* Changes BYTES, which are whole rows. Threads of the completer call it, several at a time. TM_OK or an error. */
typedef enum tm_status tm_completer_check(struct tm_buf *bytes, struct tm_error *err);

/* What a completer works with. SOURCES and SELF must outlive it. */
struct tm_completer_ends {
    struct tm_sources *sources; /* texts are read there; NULL: there are none */
    tm_completer_check *check;  /* changes bytes before the receiver gets them; NULL: they stay */
    tm_completer_receiver *receiver;
    void *self;
};

/* Returns how many threads are worth starting: as many as JOBS if it is not 0, otherwise by the number of processors.
 * The thread that makes the output keeps up with few. */
unsigned tm_completer_threads(unsigned jobs);

/* Starts THREADS threads, or fewer if they cannot be started. Each takes up to 10 MiB. NULL: there is none. */
struct tm_completer *tm_completer_new(const struct tm_completer_ends *ends, unsigned threads);

/* Waits, if the threads have as much as they can, until they have handed on half of it. Then hands over OWN and LATE,
 * which belong together. Both are then empty and have other memory. TM_OK, or the error of what was put before; then
 * only free may follow. */
enum tm_status tm_completer_put(struct tm_completer *completer, struct tm_buf *own, struct tm_late_parts *late,
                                struct tm_error *err);

/* Waits until all bytes are handed on. Status and errors are those of tm_completer_put. */
enum tm_status tm_completer_wait(struct tm_completer *completer, struct tm_error *err);

/* Ends the threads once they have handed on what was put. COMPLETER may be NULL. */
void tm_completer_free(struct tm_completer *completer);

#endif
