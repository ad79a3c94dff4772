#include "stream/clock_name.h"

#include "stream/clock_id.h"

#include <stddef.h>

const char *tm_name_of_clock(uint32_t clock)
{
    static const char *const names[] = {
        [TM_CLOCK_REALTIME] = "REALTIME",
        [TM_CLOCK_REALTIME_COARSE] = "REALTIME_COARSE",
        [TM_CLOCK_MONOTONIC] = "MONOTONIC",
        [TM_CLOCK_MONOTONIC_COARSE] = "MONOTONIC_COARSE",
        [TM_CLOCK_MONOTONIC_RAW] = "MONOTONIC_RAW",
        [TM_CLOCK_BOOTTIME] = "BOOTTIME",
        [TM_CLOCK_TSC] = "TSC",
        [TM_CLOCK_PERF] = "PERF",
        [TM_CLOCK_TRACE_FILE] = "TRACE_FILE",
    };
    return clock < sizeof names / sizeof *names ? names[clock] : NULL;
}
