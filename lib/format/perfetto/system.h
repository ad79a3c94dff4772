/* The system's own data: processes, their memory, /proc counters, the machine. Rules and names:
 * importers/proto/system_probes_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_SYSTEM_H
#define TM_FORMAT_PERFETTO_SYSTEM_H

#include "format/perfetto/internal.h"

/* Adds the rows of a process_tree, process_stats, sys_stats or system_info packet. */
enum tm_status tm_proto_system_read(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                    const struct tm_proto_packet *packet, struct tm_error *err);

/* Adds the row of a packet that describes a part of the machine, and after it a DERIVED SYSTEM_INFO with the
 * detail.machine that DESCRIBE puts into rows->detail. TM_OK or an error. */
enum tm_status tm_proto_system_part_add(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                        enum tm_status (*describe)(struct tm_proto_rows *rows,
                                                                   const struct tm_proto_packet *packet),
                                        struct tm_error *err);

/* Adds the DERIVED rows of the ProcessTree in F, after ROW. */
enum tm_status tm_proto_process_tree_add(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                         const struct tm_event *row, struct tm_error *err);

/* Adds the DERIVED rows of the ProcessStats in F. */
enum tm_status tm_proto_process_stats_add(struct tm_proto_rows *rows, const struct tm_pb_field *f,
                                          const struct tm_event *row, struct tm_error *err);

/* Adds the DERIVED counters of the SysStats in F. */
enum tm_status tm_proto_sys_stats_add(struct tm_proto_kernels *kernels, struct tm_proto_rows *rows,
                                      const struct tm_pb_field *f, const struct tm_event *row, struct tm_error *err);

/* Adds one DERIVED counter NAME (text). VALUE is an int64 or, with flag VALUE_DOUBLE, the bits of a double. Scope, pid
 * and cpu are those of LIKE. */
enum tm_status tm_proto_counter_add(struct tm_proto_rows *rows, const struct tm_event *like, const char *name,
                                    uint64_t value, struct tm_error *err);

#endif
