/* Tasks and processes of any kernel. Rules: importers/generic_kernel/generic_kernel_parser.cc of perfetto. */
#ifndef TM_FORMAT_PERFETTO_GENERIC_KERNEL_H
#define TM_FORMAT_PERFETTO_GENERIC_KERNEL_H

#include "format/perfetto/internal.h"

/* Adds the rows of a generic_kernel_task_state_event, _task_rename_event or _process_tree packet. */
enum tm_status tm_proto_generic_kernel_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                            struct tm_error *err);

#endif
