#include "os/memory_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { STATM_BYTES = 256 };

void tm_memory_limit_open(struct tm_memory_limit *limit, unsigned long long bytes_max)
{
    *limit = (struct tm_memory_limit){.bytes_max = bytes_max, .fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)};
}

/* Returns the bytes of memory in use; 0: unknown. */
static unsigned long long in_use(int fd)
{
    char text[STATM_BYTES];
    unsigned long long resident, shared;
    long page_bytes = sysconf(_SC_PAGESIZE);
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    if (got <= 0 || page_bytes <= 0)
        return 0;
    text[got] = '\0';
    if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || resident < shared)
        return 0;
    return (resident - shared) * (unsigned long long)page_bytes;
}

enum tm_status tm_memory_limit_check(struct tm_memory_limit *limit, uint64_t at, struct tm_error *err)
{
    if (limit == NULL || limit->fd < 0 || at < limit->next)
        return TM_OK;
    limit->next = at + TM_MEMORY_CHECK_BYTES;
    unsigned long long bytes = in_use(limit->fd);
    if (bytes <= limit->bytes_max)
        return TM_OK;
    return tm_error_set(err, TM_E_INPUT,
                        "the threads, processes, tracks, open slices and texts of this timeline take more than %llu "
                        "bytes of memory (TM_MEMORY_BYTES_MAX): %llu by now; --max-memory raises the limit",
                        limit->bytes_max, bytes);
}

void tm_memory_limit_again(struct tm_memory_limit *limit)
{
    if (limit)
        limit->next = 0;
}

void tm_memory_limit_close(struct tm_memory_limit *limit)
{
    if (limit->fd >= 0)
        (void)close(limit->fd);
    limit->fd = -1;
}
