/* Packets that add rows only for the processes that they name. */
#ifndef TM_FORMAT_PERFETTO_NAMED_PROCESSES_H
#define TM_FORMAT_PERFETTO_NAMED_PROCESSES_H

#include "format/perfetto/internal.h"

/* Adds the processes of a memory_tracker_snapshot, smaps_packet or vulkan_memory_event as DERIVED rows, after its own
 * row. */
enum tm_status tm_proto_named_processes_read(struct tm_proto_rows *rows, const struct tm_proto_packet *packet,
                                             struct tm_error *err);

/* An argument that is true or false. */
struct tm_proto_flag {
    const char *key;
    bool value;
};

/* Adds process PID as a DERIVED row after LIKE. ARG is its only argument; NULL: it has none. */
enum tm_status tm_proto_process_name(struct tm_proto_rows *rows, int64_t pid, const struct tm_proto_flag *arg,
                                     const struct tm_event *like, struct tm_error *err);

#endif
