/* Arrows between spans of distributed tracing whose files differ. A slice of a thread with args that say its trace and
 * its span (trace_id and span_id, however they are written: traceId, dd.span_id, …) is followed by the start of a flow,
 * and one whose parent (parent_span_id, parentId) began before it in another file by that flow's end. Where both sides
 * of a request have one span id (Zipkin's way) the arrow goes from the first to the second.
 *
 * The rows made are DERIVED, of the kinds that Chrome JSON's flows have, so that each output shows them as it shows
 * those. */
#ifndef TM_EMIT_SPAN_FLOWS_H
#define TM_EMIT_SPAN_FLOWS_H

#include "emit/batch_queue.h"
#include "base/map.h"
#include "stream/batch_builder.h"

enum { TM_SPAN_FLOWS_MAX = 1 << 19 }; /* spans remembered at least: those that began last */

/* Zero-initialise, with .out.sink set. */
struct tm_span_flows {
    struct tm_batch_queue out;
    /* private */
    struct tm_map recent, before; /* hash of trace and span to its file */
};

/* Passes BATCH, events in order of time, to the sink, with the flows added. TM_OK, TM_E_SYSTEM or the status of the
 * sink. */
enum tm_status tm_span_flows_batch(struct tm_span_flows *flows, const struct tm_batch *batch, struct tm_error *err);

void tm_span_flows_release(struct tm_span_flows *flows);

#endif
