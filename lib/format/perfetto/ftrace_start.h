/* From when on ftrace data of a file counts: what the tracing service and the ftrace data source say of it. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_START_H
#define TM_FORMAT_PERFETTO_FTRACE_START_H

#include "format/perfetto/internal.h"

/* After the row of PACKET, a service_event or ftrace_stats: a DERIVED METADATA row where it is one of those that
 * doc/events.md lists. */
enum tm_status tm_proto_ftrace_start(struct tm_proto *proto, const struct tm_proto_packet *packet,
                                     struct tm_error *err);

/* After the row of PACKET, a bundle with a timestamp: the same, once a machine. */
enum tm_status tm_proto_ftrace_data(struct tm_proto *proto, const struct tm_proto_packet *packet,
                                    struct tm_error *err);

#endif
