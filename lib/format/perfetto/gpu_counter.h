/* Counters of GPUs: gpu_counter_event. Rules: graphics_event_module.cc and gpu_event_parser.cc of Perfetto. */
#ifndef TM_FORMAT_PERFETTO_GPU_COUNTER_H
#define TM_FORMAT_PERFETTO_GPU_COUNTER_H

#include "format/perfetto/internal.h"

/* Reads PACKET, a gpu_counter_event: descriptions of counters, and values of described ones. A value holds from its
 * time on, or up to it, as its counter is described. In the first case it is a DERIVED counter after the packet's row,
 * which must be added before. In the second case it is a row of its own at the time of the counter's value before it.
 * TM_OK, TM_E_INPUT or TM_E_SYSTEM. */
enum tm_status tm_proto_gpu_counter_read(struct tm_proto_gpu_counters *counters, struct tm_proto_rows *rows,
                                         const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds a 0 at the last time of each counter whose values hold up to their time, at the end of the file. */
enum tm_status tm_proto_gpu_counters_finish(struct tm_proto_gpu_counters *counters, struct tm_proto_rows *rows,
                                            struct tm_error *err);

void tm_proto_gpu_counters_release(struct tm_proto_gpu_counters *counters);

#endif
