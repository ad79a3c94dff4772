/* CpuInfo packets: the system's description of its cpus. */
#ifndef TM_FORMAT_PERFETTO_CPU_INFO_H
#define TM_FORMAT_PERFETTO_CPU_INFO_H

#include "format/perfetto/internal.h"

/* Adds the packet's row and after it a DERIVED SYSTEM_INFO, whose detail.machine describes the cpus. */
enum tm_status tm_proto_cpu_info_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                      struct tm_error *err);

#endif
