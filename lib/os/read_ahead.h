/* An input whose source is read ahead of its reader by a thread of its own: what it costs to make the bytes, to inflate
 * them for one, is another processor's. The bytes are shown where the thread put them, not copied once more. */
#ifndef TM_OS_READ_AHEAD_H
#define TM_OS_READ_AHEAD_H

#include "os/input.h"

/* Below so many bytes to be read a thread is not worth its start. */
enum { TM_READ_AHEAD_MIN_BYTES = 256 << 10 };

/* From here on, until IN is released, a thread reads IN's source and keeps what it has read, at most about 1.5 MB,
 * until IN is widened; IN has not been read yet and its source never waits for others, as a pipe would: the release
 * waits for the read that is going on. IN shows the same bytes, end and failure at the same places as without. What the
 * source works with is the thread's alone until the release. Where there can be no thread, or no memory for it, nothing
 * changes. */
void tm_read_ahead_start(struct tm_input *in);

#endif
