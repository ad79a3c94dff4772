/* Finds the time of a flow event in the merged trace. At that time a reader binds it to the same slice as its file
 * does.
 *
 * In Chrome JSON and similar formats s, t and f bind to the last slice of their thread that no end event has closed. So
 * a complete event can be the target even after its time, until something else begins. In the merged trace it is closed
 * by the end that is written for it. A later flow event then gets the time of its slice's begin, if it binds to that
 * slice there too. Otherwise it gets the first time since then at which the events of its flow stay in order. Both
 * follow the importer's rules (slice_tracker, flow_tracker of trace_processor).
 *
 * Memory: tracks, the slices open on each at one time, and the flows of TM_FLOW_TARGETS_MAX ids; the order of older
 * flows is not checked. */
#ifndef TM_EMIT_PERFETTO_FLOW_TARGETS_H
#define TM_EMIT_PERFETTO_FLOW_TARGETS_H

#include "base/table.h"
#include "emit/perfetto/track_numbers.h"

enum { TM_FLOW_TARGETS_MAX = 1 << 16, TM_FLOW_TARGETS_DEPTH_MAX = 512 };

/* Zero-initialise. */
struct tm_flow_targets {
    /* private */
    struct tm_track_numbers tracks;
    struct tm_flow_stack {
        struct tm_flow_slice_span {
            int64_t begin_ns, end_ns; /* INT64_MAX: an end event will follow */
        } * open;
        uint32_t depth, cap;
    } * stacks; /* by the number of their track */
    uint32_t cap;
    struct tm_table recent, before; /* from a flow to the time of its last event */
};

/* Notes that a slice begins on track UUID at BEGIN_NS and ends at END_NS; INT64_MAX: unknown. Events come in order of
 * time. TM_OK or TM_E_SYSTEM, like all functions below. */
enum tm_status tm_flow_targets_begin(struct tm_flow_targets *targets, uint64_t uuid, int64_t begin_ns, int64_t end_ns,
                                     struct tm_error *err);

/* Notes that a slice begins at BEGIN_NS, crosses one on UUID and goes to a lane. It closes slices that are over. */
enum tm_status tm_flow_targets_cross(struct tm_flow_targets *targets, uint64_t uuid, int64_t begin_ns,
                                     struct tm_error *err);

/* Notes an end event, which closes the innermost open slice on UUID that has no end yet. */
enum tm_status tm_flow_targets_end(struct tm_flow_targets *targets, uint64_t uuid, int64_t ts_ns, struct tm_error *err);

/* An event of FLOW on UUID at *TS_NS binds to the slice around it: sets *TS_NS to the time at which it must be
 * written. */
enum tm_status tm_flow_targets_bind(struct tm_flow_targets *targets, uint64_t uuid, uint64_t flow, int64_t *ts_ns,
                                    struct tm_error *err);

void tm_flow_targets_release(struct tm_flow_targets *targets);

#endif
