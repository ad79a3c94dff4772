/* What Perfetto records about itself: slices and counters of its threads. Rules and names:
 * proto_trace_parser_impl.cc and metatrace_events.h of perfetto. */
#ifndef TM_FORMAT_PERFETTO_METATRACE_H
#define TM_FORMAT_PERFETTO_METATRACE_H

#include "format/perfetto/internal.h"

/* Adds the slice or the counter of a perfetto_metatrace packet after EVENT, the packet's row, which has a time. */
enum tm_status tm_proto_metatrace_add(struct tm_proto_known_texts *known, struct tm_proto_rows *rows,
                                      const struct tm_proto_packet *packet, const struct tm_event *event,
                                      struct tm_error *err);

#endif
