/* Sampled call stacks of any profiler: stack_sample packets. Rules and names: plugins/stack_sample_importer/module.cc
 * of perfetto. sample.h has the packets of perf and Chrome. */
#ifndef TM_FORMAT_PERFETTO_STACK_SAMPLE_H
#define TM_FORMAT_PERFETTO_STACK_SAMPLE_H

#include "format/perfetto/internal.h"

/* Adds the SAMPLE row of a stack_sample packet, with its source, the mode of the cpu and the stack in its detail, and
 * what it counts (stack_counts.h); a METADATA row if it has no time. It may state a process without a thread, or no
 * task. SEQUENCES numbers the sessions. TM_OK or an error. */
enum tm_status tm_proto_stack_sample_read(struct tm_proto_sequences *sequences, struct tm_proto_rows *rows,
                                          const struct tm_proto_packet *packet, struct tm_error *err);

#endif
