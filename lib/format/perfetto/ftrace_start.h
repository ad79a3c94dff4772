/* Rows that state from which time on the ftrace data of a file counts. The tracing service and the ftrace data source
 * record these facts. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_START_H
#define TM_FORMAT_PERFETTO_FTRACE_START_H

#include "format/perfetto/internal.h"

/* Called after the row of PACKET, a service_event or ftrace_stats. Adds a DERIVED METADATA row for those that
 * doc/events.md lists. */
enum tm_status tm_proto_ftrace_start(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                     struct tm_error *err);

/* The time from which the buffer of CPU has all events. */
struct tm_proto_ftrace_begin {
    uint32_t cpu;
    uint32_t clock; /* id */
    uint64_t ns;    /* a reading of CLOCK; 0: it is not stated, or nothing was read before */
};

/* Called after the row of PACKET, a bundle with BEGIN. The first bundle of each cpu counts. Adds a METADATA definition
 * at that time, without raw, if it is the latest of its machine (not with --no-packet-args). */
enum tm_status tm_proto_ftrace_since(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                     const struct tm_proto_packet *packet, const struct tm_proto_ftrace_begin *begin,
                                     struct tm_error *err);

/* Called after the row of PACKET, a bundle with a timestamp. Adds a DERIVED METADATA row, once for each machine. */
enum tm_status tm_proto_ftrace_data(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err);

#endif
