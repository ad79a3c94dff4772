/* Writes to a file by a thread of its own, while whoever made the bytes makes more. */
#ifndef TM_OS_ASYNC_WRITER_H
#define TM_OS_ASYNC_WRITER_H

#include "base/buf.h"
#include "base/status.h"

#include <stdint.h>

struct tm_async_writer;

/* A thread that writes to FD, a regular file that outlives it; it keeps no more than one buffer. NULL where there can
 * be none: the caller writes by itself. */
struct tm_async_writer *tm_async_writer_new(int fd);

/* Hands over what is in DATA, to be written at OFFSET, once what was handed over before is written. DATA is empty
 * then and has memory of its own. TM_OK; TM_E_SYSTEM where what was handed over before could not be written: then only
 * free may follow. */
enum tm_status tm_async_writer_write(struct tm_async_writer *behind, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err);

/* Waits until all is written. As tm_async_writer_write. */
enum tm_status tm_async_writer_wait(struct tm_async_writer *behind, struct tm_error *err);

/* Ends the thread, which writes what it has first. BEHIND may be NULL. */
void tm_async_writer_free(struct tm_async_writer *behind);

#endif
