/* A limit on the memory of this process, for programs whose tables grow with their input. The memory that is private
 * and resident counts: tables, buffers and caches, also those of libraries. Code and mapped files do not count. Source:
 * /proc/self/statm, proc(5). Systems without it limit nothing. */
#ifndef TM_OS_MEMORY_LIMIT_H
#define TM_OS_MEMORY_LIMIT_H

#include "base/status.h"

#include <stdint.h>

enum {
    TM_MEMORY_BYTES_MAX = 1 << 30,     /* the default limit */
    TM_MEMORY_CHECK_BYTES = 1 << 20    /* so much input is read between two checks, or one frame if that is larger */
};

struct tm_memory_limit {
    /* private */
    unsigned long long bytes_max;
    uint64_t next; /* of the input, in bytes: when the next check is due */
    int fd;        /* -1: nothing is limited */
};

/* Limits the memory to BYTES_MAX. Opens a file, so call it before the sandbox is entered. */
void tm_memory_limit_open(struct tm_memory_limit *limit, unsigned long long bytes_max);

/* Checks the memory in use, if a check is due when AT bytes of the input have been read. TM_OK; TM_E_INPUT: more memory
 * is in use than allowed. LIMIT may be NULL: nothing is limited. */
enum tm_status tm_memory_limit_check(struct tm_memory_limit *limit, uint64_t at, struct tm_error *err);

/* Restarts the checks for an input that is read again from its beginning. LIMIT may be NULL. */
void tm_memory_limit_again(struct tm_memory_limit *limit);

void tm_memory_limit_close(struct tm_memory_limit *limit);

#endif
