/* Writes to a file by a thread of its own, while whoever made the bytes makes more. */
#ifndef TM_BASE_BEHIND_H
#define TM_BASE_BEHIND_H

#include "base/buf.h"
#include "base/status.h"

#include <stdint.h>

struct tm_behind;

/* A thread that writes to FD, a regular file that outlives it; it keeps no more than one buffer. NULL where there can be
 * none: the caller writes by itself. */
struct tm_behind *tm_behind_new(int fd);

/* Hands over what is in DATA, to be written at OFFSET, once what was handed over before is written. DATA is empty
 * then and has memory of its own. TM_OK; TM_E_SYSTEM where what was handed over before could not be written: then only
 * free may follow. */
enum tm_status tm_behind_write(struct tm_behind *behind, struct tm_buf *data, uint64_t offset, struct tm_error *err);

/* Waits until all is written. As tm_behind_write. */
enum tm_status tm_behind_wait(struct tm_behind *behind, struct tm_error *err);

/* Ends the thread, which writes what it has first. BEHIND may be NULL. */
void tm_behind_free(struct tm_behind *behind);

#endif
