/* FtraceEventBundle: the events of one cpu, one row each.
 * Rules: importers/ftrace/ftrace_tokenizer.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_FTRACE_H
#define TM_FORMAT_PERFETTO_FTRACE_H

#include "format/perfetto/internal.h"

/* Adds the rows of an ftrace_events packet. */
enum tm_status tm_proto_ftrace_read(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err);

#endif
