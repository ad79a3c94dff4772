/* Resolves an event's correlation id to a flow. A process begins flows with ids of its own, and two processes may use
 * the same id. A flow may also continue and end in another process. So an id means the flow that the event's own
 * process began; otherwise the flow that exactly one other process began. Once a flow has ended, its id is free for
 * another one, and what still names it before that belongs to no flow. Events are taken in the order of the file.
 *
 * Source: FuchsiaTraceParser::GetGlobalFlowId of Perfetto, importers/fuchsia/fuchsia_trace_parser.cc. */
#ifndef TM_FORMAT_FUCHSIA_FLOWS_H
#define TM_FORMAT_FUCHSIA_FLOWS_H

#include "base/status.h"

#include <stdint.h>

/* Table sizes. If two flows or ids share an entry, the later one replaces the other. */
enum { TM_FXT_FLOWS = 1 << 15 };

/* Zero-initialise. */
struct tm_fxt_flows {
    /* private */
    struct tm_fxt_flow *own;          /* open flows by (pid, id) */
    struct tm_fxt_flow_owner *owners; /* by id */
};

/* What an event states of its flow: an id, and the process that means it. */
struct tm_fxt_flow_id {
    int64_t pid;
    uint64_t id;
};

enum tm_fxt_flow_event { TM_FXT_FLOW_BEGIN, TM_FXT_FLOW_STEP, TM_FXT_FLOW_END };

/* Sets *FLOW to the number of the flow that ID means. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_fxt_flows_find(struct tm_fxt_flows *flows, enum tm_fxt_flow_event event, struct tm_fxt_flow_id id,
                                 uint64_t *flow, struct tm_error *err);

void tm_fxt_flows_release(struct tm_fxt_flows *flows);

#endif
