/* Streams that are read twice. One that comes from a pipe is copied to a temporary file first. */
#ifndef TM_STREAM_REREAD_H
#define TM_STREAM_REREAD_H

#include "base/status.h"

#include <sys/types.h>

/* Copies the rest of IN to a new temporary file. Sets *FD to it, at its beginning; the caller closes it. DIR is as for
 * tm_io_temporary. TM_OK, or TM_E_SYSTEM with *FD -1. */
enum tm_status tm_reread_copy(int in, const char *dir, int *fd, struct tm_error *err);

/* Goes to offset AT of FD. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_reread_from(int fd, off_t at, struct tm_error *err);

#endif
