/* One FtraceEvent out of a bundle. */
#ifndef TM_FORMAT_PROTO_FTRACE_EVENT_H
#define TM_FORMAT_PROTO_FTRACE_EVENT_H

#include "format/proto_state.h"

/* Adds the rows of the FtraceEvent in F; COMMON holds what the bundle's rows have in common. An event
 * without a time, or damaged before it says what it is, is accounted as damaged. */
enum tm_status tm_proto_ftrace_event(struct tm_proto *p, const struct tm_pb_field *f, const struct tm_event *common,
                                     const struct tm_proto_packet *packet, struct tm_error *err);

#endif
