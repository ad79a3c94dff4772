/* When a flow event must come so that a reader of the merged trace binds it to the slice that its file means.
 *
 * In Chrome JSON and its like s, t and f are bound to the slice of their thread that began last and that no end event
 * has closed: a complete event stays that when its time is over, until something else begins. In the merged trace it
 * is closed by the end that is written for it. A flow event that comes later takes the time of its slice's begin,
 * where it is bound to that slice too, or the first moment since at which the events of its flow stay in their order.
 * Both are followed here by the importer's rules (slice_tracker, flow_tracker of trace_processor).
 *
 * Memory: tracks, the slices open on each at one time, and the flows of TM_FLOW_TARGETS_MAX ids: of an older one the
 * order is not looked at. */
#ifndef TM_EMIT_PERFETTO_FLOW_TARGETS_H
#define TM_EMIT_PERFETTO_FLOW_TARGETS_H

#include "base/map.h"
#include "base/table.h"

enum { TM_FLOW_TARGETS_MAX = 1 << 16, TM_FLOW_TARGETS_DEPTH_MAX = 512 };

/* Zero-initialise. */
struct tm_flow_targets {
    /* private */
    struct tm_map by_track; /* uuid -> number */
    struct tm_flow_stack {
        struct tm_flow_slice_span {
            int64_t begin_ns, end_ns; /* INT64_MAX: an end event will come */
        } * open;
        uint32_t depth, cap;
    } * stacks;
    uint32_t count, cap;
    uint64_t last_uuid;  /* of the track asked for last, */
    uint32_t last;       /* and its number */
    struct tm_table recent, before; /* flow -> when its last event was */
};

/* Notes that a slice begins on track UUID at BEGIN_NS and ends at END_NS; INT64_MAX: unknown. Events come in the order
 * of their times. TM_OK or TM_E_SYSTEM, as all below. */
enum tm_status tm_flow_targets_begin(struct tm_flow_targets *targets, uint64_t uuid, int64_t begin_ns, int64_t end_ns,
                                     struct tm_error *err);

/* Notes that a slice begins at BEGIN_NS which crosses one on UUID and goes to a lane. It closes what is over. */
enum tm_status tm_flow_targets_cross(struct tm_flow_targets *targets, uint64_t uuid, int64_t begin_ns,
                                     struct tm_error *err);

/* Notes an end event, which closes the innermost open slice on UUID that has no end yet. */
enum tm_status tm_flow_targets_end(struct tm_flow_targets *targets, uint64_t uuid, int64_t ts_ns, struct tm_error *err);

/* An event of FLOW on UUID at *TS_NS, bound to the slice around it: *TS_NS becomes when it is to be said. */
enum tm_status tm_flow_targets_bind(struct tm_flow_targets *targets, uint64_t uuid, uint64_t flow, int64_t *ts_ns,
                                    struct tm_error *err);

void tm_flow_targets_release(struct tm_flow_targets *targets);

#endif
