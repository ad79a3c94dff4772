/* Memory that a process has by Vulkan: what its driver allocated, and what it allocated and bound on the device. Rules
 * and names: importers/proto/gpu_event_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_VULKAN_MEMORY_H
#define TM_FORMAT_PERFETTO_VULKAN_MEMORY_H

#include "format/perfetto/internal.h"

/* Adds the KERNEL row of a vulkan_memory_event that changes a sum, after the rows of the packet, which has a time. It
 * is DERIVED, or a row of its own if the event states another time. TM_OK or TM_E_SYSTEM. */
enum tm_status tm_proto_vulkan_memory_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                          struct tm_error *err);

#endif
