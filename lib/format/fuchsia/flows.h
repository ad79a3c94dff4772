/* Which flow an event's correlation id means. A process begins flows with ids of its own, and ids of two
 * processes may be equal; but a flow may also go on and end in another process than it began in. So an id
 * means the flow that the event's own process began; else the one that just one process began. */
#ifndef TM_FORMAT_FUCHSIA_FLOWS_H
#define TM_FORMAT_FUCHSIA_FLOWS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Flows and ids remembered; of two that share a place the later one is. */
enum { TM_FXT_FLOWS = 1 << 15 };

/* Zero-initialise. */
struct tm_fxt_flows {
    /* private */
    struct tm_fxt_flow *own;   /* (pid, id) that are open */
    struct tm_fxt_flow *first; /* the process that first began id */
};

enum tm_fxt_flow_event { TM_FXT_FLOW_BEGIN, TM_FXT_FLOW_STEP, TM_FXT_FLOW_END };

/* *FLOW: a number for the flow that process PID means by ID. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fxt_flows_find(struct tm_fxt_flows *flows, enum tm_fxt_flow_event event, int64_t pid, uint64_t id,
                                 uint64_t *flow, struct tm_error *err);

void tm_fxt_flows_release(struct tm_fxt_flows *flows);

#endif
