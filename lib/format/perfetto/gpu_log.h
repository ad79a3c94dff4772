/* Messages of a GPU's driver, and submissions of work to it by Vulkan. Rules and names:
 * importers/proto/gpu_event_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_GPU_LOG_H
#define TM_FORMAT_PERFETTO_GPU_LOG_H

#include "format/perfetto/internal.h"

/* Adds the slice of a packet of gpu_log or vulkan_api_event after EVENT, the packet's row, which has a time. */
enum tm_status tm_proto_gpu_log_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                    const struct tm_event *event, struct tm_error *err);

#endif
