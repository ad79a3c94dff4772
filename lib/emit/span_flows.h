/* Flows between spans of distributed tracing in different files. A slice of a thread whose args state its trace and its
 * span (trace_id and span_id in any spelling: traceId, dd.span_id, …) is followed by the start of a flow. If its parent
 * (parent_span_id, parentId) began before it in another file, the end of the parent's flow follows, too. If both sides
 * of a request share one span id, as in Zipkin, the flow goes from the first to the second.
 *
 * The added rows are DERIVED. They have the kinds of Chrome JSON's flows, so each output shows them like those. */
#ifndef TM_EMIT_SPAN_FLOWS_H
#define TM_EMIT_SPAN_FLOWS_H

#include "emit/batch_queue.h"
#include "base/map.h"
#include "model/catalog.h"

enum { TM_SPAN_FLOWS_MAX = 1 << 19 }; /* at least this many of the latest spans are remembered */

struct tm_span_flows {
    /* private */
    struct tm_batch_queue out;
    struct tm_arg_expander args;
    struct tm_map recent, before; /* from a hash of trace and span to the file; BEFORE is the map that was full last */
};

/* Initialises FLOWS for events with args by the strings of CATALOG (borrowed), which go to RECEIVER. */
void tm_span_flows_init(struct tm_span_flows *flows, const struct tm_catalog *catalog,
                        struct tm_batch_receiver receiver);

/* Passes BATCH, events in order of time, to the receiver, with the flows added. TM_OK, TM_E_SYSTEM or the status of the
 * receiver. */
enum tm_status tm_span_flows_batch(struct tm_span_flows *flows, const struct tm_batch *batch, struct tm_error *err);

void tm_span_flows_release(struct tm_span_flows *flows);

#endif
