/* The scheduling of one cpu as a CompactSched message: columns of switches and of wakings, names by number. A switch in
 * it does not state the task that ran before. A reader takes the task to which the previous switch of the cpu, in this
 * or an earlier message, switched. The caller ensures that this is right. Source: ftrace_event_bundle.proto of
 * Perfetto. */
#ifndef TM_EMIT_PERFETTO_COMPACT_SCHED_H
#define TM_EMIT_PERFETTO_COMPACT_SCHED_H

#include "base/buf.h"
#include "model/catalog.h"
#include "stream/event.h"

enum { TM_COMPACT_EVENTS_MAX = 512, TM_COMPACT_COMMS_MAX = 256, TM_COMPACT_SLOTS = 512 };

/* Events of one kind, column by column: value I of column C is at C * TM_COMPACT_EVENTS_MAX + I. */
struct tm_compact_lane {
    int64_t *values; /* owned */
    uint32_t count;
};

/* Zero-initialise. */
struct tm_compact_sched {
    struct tm_compact_lane switches, wakings;
    struct tm_buf comms; /* intern_table fields */
    uint32_t comm_count;
    struct tm_compact_slot {
        /* NUMBER of the name with id STRING, plus 1; 0: empty. If STRING is TM_STRING_INLINE and a hash, the name is
         * compared by its text. */
        uint32_t string, number;
        uint32_t at;             /* offset of the text in comms */
    } slots[TM_COMPACT_SLOTS];
};

static inline bool tm_compact_sched_is_empty(const struct tm_compact_sched *c)
{
    return c->switches.count == 0 && c->wakings.count == 0;
}

/* True when another event may not fit; write it first. */
static inline bool tm_compact_sched_is_full(const struct tm_compact_sched *c)
{
    return c->switches.count == TM_COMPACT_EVENTS_MAX || c->wakings.count == TM_COMPACT_EVENTS_MAX ||
           c->comm_count == TM_COMPACT_COMMS_MAX;
}

/* True if the last switch is at TIME_NS. */
static inline bool tm_compact_sched_switches_at(const struct tm_compact_sched *c, int64_t time_ns)
{
    return c->switches.count && c->switches.values[c->switches.count - 1] == time_ns;
}

/* Adds EVENT, a SCHED_SWITCH whose prev_state a kernel would have recorded as STATE, or a SCHED_WAKING. CATALOG has its
 * strings. Not full; events of one kind come in time order. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_compact_sched_switch(struct tm_compact_sched *compact, const struct tm_event *event, uint64_t state,
                                       const struct tm_catalog *catalog, struct tm_error *err);
enum tm_status tm_compact_sched_waking(struct tm_compact_sched *compact, const struct tm_event *event,
                                       const struct tm_catalog *catalog, struct tm_error *err);

/* Appends the message to OUT as field ID and clears it. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_compact_sched_write(struct tm_compact_sched *compact, struct tm_buf *out, uint32_t id,
                                      struct tm_error *err);

void tm_compact_sched_release(struct tm_compact_sched *compact);

#endif
