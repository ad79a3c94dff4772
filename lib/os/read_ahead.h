/* A thread that reads the source of an input before its reader asks. Making the bytes, by inflating them for example,
 * then runs on another processor. The reader sees the bytes in the thread's buffers; they are not copied. */
#ifndef TM_OS_READ_AHEAD_H
#define TM_OS_READ_AHEAD_H

#include "os/input.h"

/* A thread is not worth starting for fewer bytes. */
enum { TM_READ_AHEAD_MIN_BYTES = 256 << 10 };

/* Starts a thread that reads IN's source until IN is released. It buffers about 1.5 MB. IN must not have been read yet.
 * Its source must not block on others, as a pipe does, because the release waits for the read under way. Until then the
 * source belongs to the thread alone. Bytes, end and failure of IN are unchanged. If the thread cannot be started, IN
 * is read as before. */
void tm_read_ahead_start(struct tm_input *in);

#endif
