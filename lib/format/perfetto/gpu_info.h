/* GpuInfo packets: the system's description of its GPUs. */
#ifndef TM_FORMAT_PERFETTO_GPU_INFO_H
#define TM_FORMAT_PERFETTO_GPU_INFO_H

#include "format/perfetto/internal.h"

/* Adds the packet's row and after it a DERIVED SYSTEM_INFO, whose detail.machine describes the GPUs. */
enum tm_status tm_proto_gpu_info_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err);

#endif
