#include "select/kinds.h"

#include "stream/event.h"
#include "stream/kind_name.h"

#include <fnmatch.h>

/* Returns the word for several kinds, of which KIND is one, or NULL. */
static const char *group_of(uint32_t kind)
{
    switch (kind) {
    case TM_KIND_SLICE_BEGIN:
    case TM_KIND_SLICE_END:
    case TM_KIND_SLICE_ARGS:
        return "slice"; /* as a complete one is called */
    case TM_KIND_FLOW_START:
    case TM_KIND_FLOW_STEP:
    case TM_KIND_FLOW_END:
        return "flow";
    case TM_KIND_SCHED_SWITCH:
    case TM_KIND_SCHED_WAKING:
        return "sched";
    case TM_KIND_TASK_RENAME:
    case TM_KIND_TASK_NEW:
    case TM_KIND_PROCESS_EXIT:
        return "task";
    default:
        return NULL;
    }
}

bool tm_select_kind_fits(uint32_t kind, const char *value)
{
    const char *name = tm_name_of_kind(kind), *group = group_of(kind);
    return (name && fnmatch(value, name, 0) == 0) || (group && fnmatch(value, group, 0) == 0);
}

bool tm_select_kind_is_known(const char *value)
{
    for (uint32_t kind = 0; kind < TM_KIND_COMPACT_SCHED; kind++)
        if (tm_select_kind_fits(kind, value))
            return true;
    return false;
}

const char *tm_select_kind_words(void)
{
    return "slice (slice_begin, slice_end), instant, counter, flow, async_step, sample, sched (sched_switch, "
           "sched_waking), task (task_new, task_rename, process_exit), ftrace, log, process, thread, packet";
}
