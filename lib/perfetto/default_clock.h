/* The default clock of a Perfetto trace: the clock of packets that name none. Source: doc/rules.md section 5. */
#ifndef TM_PERFETTO_DEFAULT_CLOCK_H
#define TM_PERFETTO_DEFAULT_CLOCK_H

#include "stream/clock_id.h"
#include "stream/frame.h"

/* Returns the default clock that SNAPSHOT sets, or TM_CLOCK_NONE. The clock pair of an ftrace bundle sets none. */
static inline uint32_t tm_default_clock_of(const Tracemerge__Snapshot *snapshot)
{
    bool has_boottime = false, has_trace_file = false;
    if (snapshot->no_default)
        return TM_CLOCK_NONE;
    if (snapshot->has_primary_clock && snapshot->primary_clock != TM_CLOCK_NONE)
        return snapshot->primary_clock;
    for (size_t i = 0; i < snapshot->n_readings; i++) {
        has_boottime |= snapshot->readings[i]->clock == TM_CLOCK_BOOTTIME;
        has_trace_file |= snapshot->readings[i]->clock == TM_CLOCK_TRACE_FILE;
    }
    return has_boottime && !has_trace_file ? TM_CLOCK_BOOTTIME : TM_CLOCK_NONE;
}

#endif
