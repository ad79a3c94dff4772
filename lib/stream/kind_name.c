#include "stream/kind_name.h"

#include "stream/event.h"

#include <stddef.h>

const char *tm_name_of_kind(uint32_t kind)
{
    static const char *const names[] = {
        [TM_KIND_PACKET] = "packet",
        [TM_KIND_SLICE_BEGIN] = "slice_begin",
        [TM_KIND_SLICE_END] = "slice_end",
        [TM_KIND_SLICE_COMPLETE] = "slice",
        [TM_KIND_INSTANT] = "instant",
        [TM_KIND_COUNTER] = "counter",
        [TM_KIND_FLOW_START] = "flow_start",
        [TM_KIND_FLOW_STEP] = "flow_step",
        [TM_KIND_FLOW_END] = "flow_end",
        [TM_KIND_ASYNC_STEP] = "async_step",
        [TM_KIND_SAMPLE] = "sample",
        [TM_KIND_SCHED_SWITCH] = "sched_switch",
        [TM_KIND_SCHED_WAKING] = "sched_waking",
        [TM_KIND_TASK_RENAME] = "task_rename",
        [TM_KIND_TASK_NEW] = "task_new",
        [TM_KIND_PROCESS_EXIT] = "process_exit",
        [TM_KIND_FTRACE] = "ftrace",
        [TM_KIND_PROCESS] = "process",
        [TM_KIND_THREAD] = "thread",
        [TM_KIND_LOG] = "log",
        [TM_KIND_SYNC_MARKER] = "sync_marker",
        [TM_KIND_SLICE_ARGS] = "slice_args",
        [TM_KIND_BINDER] = "binder",
        [TM_KIND_KERNEL] = "kernel",
        [TM_KIND_COMPACT_SCHED] = "compact_sched",
        [TM_KIND_BLOCKED_REASON] = "blocked_reason",
        [TM_KIND_THREAD_STATE] = "thread_state",
        [TM_KIND_HEAP_DUMP] = "heap_dump",
        [TM_KIND_ALLOCATION] = "allocation",
        [TM_KIND_HEAP_GRAPH] = "heap_graph",
        [TM_KIND_MEMORY] = "memory",
        [TM_KIND_TASK_STATE] = "task_state",
        [TM_KIND_SEQUENCE_STATE] = "sequence_state",
        [TM_KIND_TRACK] = "track",
        [TM_KIND_SYSTEM_INFO] = "system_info",
        [TM_KIND_METADATA] = "metadata",
    };
    return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
