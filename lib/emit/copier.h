/* A thread that completes the bytes of an output by their late parts (late_parts.h), and hands them on in order. The
 * caller makes more meanwhile. */
#ifndef TM_EMIT_COPIER_H
#define TM_EMIT_COPIER_H

#include "emit/late_parts.h"

struct tm_copier;

/* Takes BYTES, which it leaves empty. It is called by the copier's thread. TM_OK or an error. */
typedef enum tm_status tm_copier_receiver(void *self, struct tm_buf *bytes, struct tm_error *err);

/* Starts a thread that reads texts of SOURCES (may be NULL if there are none) and hands bytes to RECEIVER. Both must
 * outlive it. NULL if no thread can be started. */
struct tm_copier *tm_copier_new(struct tm_sources *sources, tm_copier_receiver *receiver, void *self);

/* Waits, if the thread has as much as it can, until it has handed on half of it. Then hands over OWN and LATE, which
 * belong together. Both are then empty and have other memory. TM_OK, or the error of what was put before; then only
 * free may follow. */
enum tm_status tm_copier_put(struct tm_copier *copier, struct tm_buf *own, struct tm_late_parts *late,
                             struct tm_error *err);

/* Waits until all bytes are handed on. Status and errors are those of tm_copier_put. */
enum tm_status tm_copier_wait(struct tm_copier *copier, struct tm_error *err);

/* Ends the thread once it has handed on what was put. COPIER may be NULL. */
void tm_copier_free(struct tm_copier *copier);

#endif
