#include "emit/names.h"

#include <stddef.h>

static const char *find(const char *const *names, size_t count, uint32_t i)
{
    return i < count ? names[i] : NULL;
}

#define FIND(names, i) find(names, sizeof(names) / sizeof *(names), (uint32_t)(i))

const char *tm_name_of_scope(enum tm_scope scope)
{
    static const char *const names[] = {
        [TM_SCOPE_GLOBAL] = "global", [TM_SCOPE_THREAD] = "thread", [TM_SCOPE_PROCESS] = "process",
        [TM_SCOPE_TRACK] = "track",   [TM_SCOPE_CPU] = "cpu",
    };
    return FIND(names, scope);
}

const char *tm_name_of_raw(enum tm_raw raw)
{
    static const char *const names[] = {
        [TM_RAW_PACKET] = "packet",
        [TM_RAW_FTRACE_EVENT] = "ftrace_event",
        [TM_RAW_JSON] = "json",
        [TM_RAW_LINE] = "line",
        [TM_RAW_COMPACT_SCHED] = "compact_sched",
        [TM_RAW_COMPACT_MESSAGE] = "compact_message",
    };
    return FIND(names, raw);
}

const char *tm_name_of_flag(uint32_t flags)
{
    static const char *const names[] = {
        "untimed",   "definition", "derived", "has_pid",    "has_tid",     "has_value",
        "double",    "has_track",  "async",   "open_ended", "inner_times", "has_cpu",
        [20] = "context",
        [21] = "raw_body",
        [22] = "marker",
        [23] = "in_order",
        [24] = "first_use",
        [25] = "late_thread",
        [26] = "no_length",
    };
    for (uint32_t bit = 0; bit < sizeof names / sizeof *names; bit++)
        if (flags >> bit & 1)
            return names[bit];
    return NULL;
}
