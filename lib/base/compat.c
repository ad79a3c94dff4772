#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "base/compat.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void tm_compat_widen_pipe(int fd, int bytes)
{
#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, bytes);
#else
    (void)fd;
    (void)bytes;
#endif
}

void tm_compat_large_pages(void *mem, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096;
    uintptr_t start = ((uintptr_t)mem + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)mem + bytes) & ~(page - 1);
    if (start < end)
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)mem;
    (void)bytes;
#endif
}

char *tm_compat_real_path(const char *path)
{
#ifdef _GNU_SOURCE
    return realpath(path, NULL);
#else
    return strdup(path);
#endif
}
