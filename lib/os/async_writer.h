/* A thread that writes bytes to a file while the caller makes more. */
#ifndef TM_OS_ASYNC_WRITER_H
#define TM_OS_ASYNC_WRITER_H

#include "base/buf.h"
#include "base/status.h"

#include <stdint.h>

struct tm_async_writer;

/* Starts a thread that writes to FD, a regular file, which must outlive it. The thread holds one buffer. NULL if no
 * thread can be started; the caller then writes by itself. */
struct tm_async_writer *tm_async_writer_new(int fd);

/* Waits until the bytes handed over before are written. Then hands over DATA, to be written at OFFSET. DATA is then
 * empty and has other memory. TM_OK. TM_E_SYSTEM if the bytes handed over before could not be written; then only free
 * may follow. */
enum tm_status tm_async_writer_write(struct tm_async_writer *writer, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err);

/* Hands DATA over to WRITER as tm_async_writer_write does. If WRITER is NULL, writes it to FD at OFFSET. DATA is then
 * empty. */
enum tm_status tm_async_writer_or_io(struct tm_async_writer *writer, int fd, struct tm_buf *data, uint64_t offset,
                                     struct tm_error *err);

/* Waits until all bytes are written. Status and errors are those of tm_async_writer_write. */
enum tm_status tm_async_writer_wait(struct tm_async_writer *writer, struct tm_error *err);

/* Ends the thread once it has written its buffer. WRITER may be NULL. */
void tm_async_writer_free(struct tm_async_writer *writer);

#endif
