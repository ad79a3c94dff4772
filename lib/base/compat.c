#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "base/compat.h"

#include <fcntl.h>

void tm_compat_widen_pipe(int fd, int bytes)
{
#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, bytes);
#else
    (void)fd;
    (void)bytes;
#endif
}
