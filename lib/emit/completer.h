/* A thread that completes the bytes of an output by their late parts (late_parts.h), and hands them on in order. The
 * caller makes more meanwhile. */
#ifndef TM_EMIT_COMPLETER_H
#define TM_EMIT_COMPLETER_H

#include "emit/late_parts.h"

struct tm_completer;

/* Takes BYTES, which it leaves empty. It is called by the completer's thread. TM_OK or an error. */
typedef enum tm_status tm_completer_receiver(void *self, struct tm_buf *bytes, struct tm_error *err);

/* Starts a thread that reads texts of SOURCES (may be NULL if there are none) and hands bytes to RECEIVER. Both must
 * outlive it. NULL if no thread can be started. */
struct tm_completer *tm_completer_new(struct tm_sources *sources, tm_completer_receiver *receiver, void *self);

/* Waits, if the thread has as much as it can, until it has handed on half of it. Then hands over OWN and LATE, which
 * belong together. Both are then empty and have other memory. TM_OK, or the error of what was put before; then only
 * free may follow. */
enum tm_status tm_completer_put(struct tm_completer *completer, struct tm_buf *own, struct tm_late_parts *late,
                                struct tm_error *err);

/* Waits until all bytes are handed on. Status and errors are those of tm_completer_put. */
enum tm_status tm_completer_wait(struct tm_completer *completer, struct tm_error *err);

/* Ends the thread once it has handed on what was put. COMPLETER may be NULL. */
void tm_completer_free(struct tm_completer *completer);

#endif
