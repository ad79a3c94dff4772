/* Flows: arrows from slice to slice. The start, steps and end of a flow bind to the innermost slice of their track. The
 * last slice of each flow is remembered. The number of flows remembered is bounded; the most recently used ones
 * stay. */
#ifndef TM_MODEL_FLOWS_H
#define TM_MODEL_FLOWS_H

#include "model/rows.h"
#include "base/table.h"

enum { TM_FLOWS_MAX = 1 << 19 }; /* at least so many flows are remembered */

struct tm_flow_slice {
    int64_t id, ts;
};

/* Flow events without a slice, steps and ends without a start, and repeated starts. */
struct tm_flow_counts {
    uint64_t without_slice, without_start, duplicate;
};

/* Zero-initialise, then set ROWS. The calls return TM_OK, TM_E_SYSTEM or the error of ROWS. */
struct tm_flows {
    const struct tm_rows *rows; /* receives the arrows */
    struct tm_flow_counts counts;
    /* private */
    struct tm_flow_table {
        struct tm_table table;
        struct tm_flow_slice *slices;
        uint32_t count, cap;
    } recent, before;
    struct tm_pending_flow *pending; /* flows that end at the next slice of a track */
    uint32_t pending_count, pending_cap;
    uint32_t free_pending; /* a place in PENDING without a flow, plus 1; 0: none below pending_count */
    struct tm_table pending_of_track; /* from a track to the last of its entries in PENDING */
};

/* True if FLOW has started and has not been forgotten. */
bool tm_flows_active(const struct tm_flows *flows, const struct tm_key *flow);

/* Loads what the functions below read for FLOW. */
void tm_flows_prefetch(const struct tm_flows *flows, const struct tm_key *flow);

/* Note that FLOW starts, passes or ends at SLICE. An end with CLOSE forgets the flow. */
enum tm_status tm_flows_start(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                              struct tm_error *err);
enum tm_status tm_flows_step(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice,
                             struct tm_error *err);
enum tm_status tm_flows_end(struct tm_flows *flows, const struct tm_key *flow, struct tm_flow_slice slice, bool close,
                            struct tm_error *err);

/* tm_flows_end_at_next notes that FLOW ends at the next slice that begins on TRACK. tm_flows_begun notes that SLICE has
 * begun on TRACK. */
enum tm_status tm_flows_end_at_next(struct tm_flows *flows, const struct tm_key *flow, uint32_t track,
                                    struct tm_error *err);
enum tm_status tm_flows_begun(struct tm_flows *flows, uint32_t track, struct tm_flow_slice slice, struct tm_error *err);

void tm_flows_release(struct tm_flows *flows);

#endif
