#include "os/stack.h"

#include <sys/resource.h>

enum tm_status tm_stack_raise(struct tm_error *err)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= TM_STACK_BYTES) /* or RLIM_INFINITY */
        return TM_OK;
    if (limit.rlim_max < TM_STACK_BYTES)
        return tm_error_set(err, TM_E_SYSTEM, "the stack may have %llu KiB and needs %d: ulimit -s %d",
                            (unsigned long long)limit.rlim_max >> 10, TM_STACK_BYTES >> 10, TM_STACK_BYTES >> 10);
    limit.rlim_cur = TM_STACK_BYTES;
    (void)setrlimit(RLIMIT_STACK, &limit);
    return TM_OK;
}
